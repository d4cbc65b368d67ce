package view

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Explanation is everything that was decided about one address.
type Explanation struct {
	Address   string       `json:"address"`
	Kind      string       `json:"kind"`
	Source    string       `json:"source"` // bookings.hcl:31
	Promise   string       `json:"promise"`
	Mechanism string       `json:"mechanism"`
	Reasons   List[Reason] `json:"reasons"`
	DDL       List[string] `json:"ddl"`
	Methods   List[Method] `json:"methods"`
	// Invariants are the addresses of the rules on a table, for an address that
	// has some.
	Invariants List[string] `json:"invariants"`
	Errors     List[Error]  `json:"errors"`
	// Brief lists methods by their signatures alone: there are many.
	Brief bool `json:"-"`
	// Violators is a query whose rows break the rule; empty when there is none.
	Violators string `json:"violators"`
}

// Has reports whether a method is among those of the explanation.
func (e *Explanation) Has(address string) bool {
	return slices.ContainsFunc(e.Methods, func(m Method) bool { return m.Address == address })
}

// Reason is one choice and why it was made.
type Reason struct {
	Choice string `json:"choice"`
	Why    string `json:"why"`
}

// Method is a generated method.
type Method struct {
	Address     string          `json:"address"`
	Signature   string          `json:"signature"` // in Go, without the word func; empty when the spec generates none
	Doc         string          `json:"doc"`
	Lock        string          `json:"lock"`
	Isolation   string          `json:"isolation"`
	Transaction string          `json:"transaction"`
	Reasons     List[Reason]    `json:"reasons"`
	Errors      List[string]    `json:"errors"` // names of constraints
	Statements  List[Statement] `json:"statements"`
}

// Statement is one SQL statement of a method.
type Statement struct {
	Role string `json:"role"`
	SQL  string `json:"sql"`
}

// Error is an error that can come back.
type Error struct {
	Go         string `json:"go"` // the sentinel; empty when the spec generates no Go
	Kind       string `json:"kind"`
	SQLState   string `json:"sqlstate"`
	Constraint string `json:"constraint"`
	Doc        string `json:"doc"`
}

// Explained shows an explanation, the promise first.
func (h *human) Explained(e Explanation) {
	p := h.out
	p.line("%s  %s", p.paint(bold, e.Address), p.paint(dim, e.Source))
	p.section("Promise", e.Promise)
	p.section("Mechanism", e.Mechanism)
	p.reasons("Why", e.Reasons)
	p.block("DDL", e.DDL)
	p.list("Invariants", e.Invariants)
	h.methods(e)
	p.errors(e.Errors)
	if e.Violators != "" {
		p.block("Rows that break it", []string{e.Violators})
	}
}

// methods shows the methods, or a list of them.
func (h *human) methods(e Explanation) {
	p := h.out
	for i, m := range e.Methods {
		switch {
		case i == 0:
			p.heading("Methods")
		case !e.Brief:
			p.blank()
		}
		if e.Brief {
			p.line("  %s", m.title())
		} else {
			h.method(m, e.Reasons)
		}
	}
	if e.Brief && len(e.Methods) > 0 {
		p.blank()
		p.line("  %s", p.paint(dim, "pawl explain ADDRESS tells more of one: "+e.Methods[0].Address))
	}
}

func (m Method) title() string {
	if m.Signature != "" {
		return "func " + m.Signature
	}
	return m.Address
}

// method shows one method whole, without the reasons that stand above already.
func (h *human) method(m Method, told []Reason) {
	p := h.out
	p.line("  %s", p.paint(bold, m.title()))
	if m.Signature != "" {
		p.line("    %-12s %s", "address", m.Address)
	}
	p.wrapped("    ", capital(m.Doc))
	p.line("    %-12s %s", "lock", m.Lock)
	isolation := m.Isolation
	if m.Transaction != "" {
		isolation += fmt.Sprintf(" (transaction %q)", m.Transaction)
	}
	p.line("    %-12s %s", "isolation", isolation)
	for _, constraint := range m.Errors {
		p.line("    %-12s %s", "error", constraint)
	}
	for _, r := range m.Reasons {
		if !slices.Contains(told, r) {
			p.wrapped("    ", "why "+r.Choice+": "+r.Why)
		}
	}
	for _, s := range m.Statements {
		p.line("    %s", p.paint(dim, s.Role))
		p.text("      ", s.SQL)
	}
}

// capital is a sentence with a capital letter: the texts of methods go on from
// the method's name in Go's comments.
func capital(sentence string) string {
	first, size := utf8.DecodeRuneInString(sentence)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + sentence[size:]
}

func (p *page) errors(errors []Error) {
	for i, e := range errors {
		if i == 0 {
			p.heading("Errors")
		}
		name := e.Go
		if name == "" {
			name = e.Constraint
		}
		p.line("  %s  %s, SQLSTATE %s, constraint %s", p.paint(bold, name), e.Kind, e.SQLState, e.Constraint)
		p.wrapped("    ", e.Doc)
	}
}
