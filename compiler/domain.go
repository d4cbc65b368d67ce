package compiler

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/diag"
	"github.com/pawldb/pawl/internal/pgsql"
)

// domainValue is how a check of a domain calls the value, as the parser spells
// VALUE.
const domainValue = "value"

// domain is a declared domain.
type domain struct {
	decl    *dsl.Domain
	address string
	ir      ir.Domain
	known   bool // what it is made of could be read
	checks  []*check
}

func (c *compilation) declareDomains() {
	for _, decl := range byLabel(c.spec.Domains, func(d *dsl.Domain) string { return d.ID() }) {
		if decl.Name.Text == "" || c.domains[decl.ID()] != nil {
			continue
		}
		d := &domain{decl: decl, address: declared("domain", decl.Block)}
		d.ir = ir.Domain{
			Schema: c.schemaOf(decl.Schema), Name: nameOf(decl.Name, decl.Rename), Comment: decl.Comment.V,
			Origin: ir.Origin{Address: d.address, Pos: pos(decl.Header)},
		}
		c.domains[decl.ID()] = d
		c.claimName(space{kind: relationSpace, schema: d.ir.Schema, name: d.ir.Name}, "domain "+quote(decl.Name.Text), decl.Header)
		d.ir.Type, d.known = c.domainBase(decl)
		for _, k := range byLabel(decl.Checks, func(k *dsl.Check) string { return k.LocalID() }) {
			c.domainCheck(d, k)
		}
		c.program.Schema.Domains = append(c.program.Schema.Domains, d.ir)
	}
}

// domainBase is the type that a domain is made of.
func (c *compilation) domainBase(decl *dsl.Domain) (ir.Type, bool) {
	of := decl.Type
	if of.Elem != nil {
		of = *of.Elem
	}
	d := diag.Diagnostic{Code: diag.DomainType, Subject: decl.Type.Range}
	switch {
	case of.Domain != "":
		d.Detail = "The domain " + quote(decl.Name.Text) + " is made of another domain."
		d.Label = "a domain"
		d.Consequence = "A value would be refused in the name of one or of the other, by whichever is looked at first."
		d.Help = "write the base type, and the checks of both"
	case of.Enum != "":
		d.Detail = "The domain " + quote(decl.Name.Text) + " is made of an enum."
		d.Label = "an enum"
		d.Consequence = "The enum could not lose a value any more: no column of the domain can be changed over to the new type."
		d.Help = "give the columns the enum, and the table a check; or make an enum of the values that are meant"
	default:
		return c.resolveType(decl.Type)
	}
	c.report(d)
	return ir.Type{}, false
}

// domainCheck reads a check block of a domain.
func (c *compilation) domainCheck(d *domain, decl *dsl.Check) {
	e := c.parse(&decl.Expr, "check", row{domain: d, changing: pgsql.Stable})
	if e == nil {
		return
	}
	if len(e.Columns()) == 0 {
		c.report(diag.Diagnostic{
			Code:        diag.CheckWithoutColumn,
			Detail:      "The check " + quote(decl.Name.Text) + " does not mention the value.",
			Subject:     decl.Expr.Range,
			Label:       "no value in it",
			Consequence: "It is the same for every value: either it guards nothing, or no value is accepted.",
			Help:        "write the condition over value: expr = \"value >= 0\"",
		})
		return
	}
	if e.Volatility() == pgsql.Stable {
		c.warnChangingCheck(decl.Allow, e)
	}
	name := derivedName(d.ir.Name, decl.Name.Text, decl.Rename)
	if !c.claimName(space{constraintSpace, d.ir.Schema, d.ir.Name, name}, "check "+quote(decl.Name.Text), decl.Header) {
		return
	}
	at := inside(d.address, "check", decl.Block)
	d.checks = append(d.checks, &check{
		name: name, label: labelOf(decl.Block, decl.Rename), expr: e.Expr, columns: []string{domainValue}, address: at,
		doc: "a value of " + d.ir.Name + " breaks the check " + e.SQL(), domain: d,
	})
	d.ir.Checks = append(d.ir.Checks, ir.Check{Name: name, Expr: e.SQL(), Origin: ir.Origin{Address: at, Pos: pos(decl.Header)}})
}

// listOfDomain refuses a list of a domain.
func (c *compilation) listOfDomain(t dsl.Type) {
	c.report(diag.Diagnostic{
		Code:    diag.DomainType,
		Detail:  "This is a list of a domain.",
		Subject: t.Range,
		Label:   "a list of a domain",
		Consequence: "PostgreSQL can prove no new check of a domain whose values stand in lists: ALTER DOMAIN fails with 0A000, and the check would " +
			"hold for new values alone, for good.",
		Help: "make a domain of the list, with the condition over all of it: type = list(numeric), expr = \"0 <= ALL (value)\"",
	})
}

// domainOf is the domain that a type is; nil for any other.
func (c *compilation) domainOf(t ir.Type) *domain {
	if t.Kind != ir.DomainType {
		return nil
	}
	for _, d := range c.domains {
		if d.ir.Schema == t.Schema && d.ir.Name == t.Name {
			return d
		}
	}
	return nil
}

// object identifies the check, of a table or of its domain.
func (k *check) object(t *table) ir.ObjectID {
	if k.domain != nil {
		return k.domain.ir.CheckID(k.name)
	}
	return ir.ObjectID{Kind: ir.ConstraintObject, Schema: t.ref.Schema, Table: t.ref.Name, Name: k.name}
}

// over is the check over an expression in the place of the value.
func (k *check) over(value *pgsql.Expr) *pgsql.Expr {
	return k.expr.Substitute(map[string]*pgsql.Expr{domainValue: value})
}

// domainDerived is what the domains of the assigned columns and of the arguments
// ask of the values.
func (c *compilation) domainDerived(set []assignment, args []ir.Field) []derived {
	var list []derived
	add := func(t ir.Type, value, shown *pgsql.Expr) {
		d := c.domainOf(t)
		if d == nil {
			return
		}
		for _, k := range d.checks {
			e := k.over(value)
			if !slices.ContainsFunc(list, func(have derived) bool { return have.check == k && pgsql.Same(have.expr, e) }) {
				list = append(list, derived{check: k, expr: e, shown: k.over(shown)})
			}
		}
	}
	for _, a := range set {
		add(a.column.typ, a.value, built(ir.Ident(a.column.name)))
	}
	for _, f := range args {
		add(f.Type, argument(f.Name), argument(f.Name))
	}
	return list
}

// domainDefault gives a column without a default that of its domain. It is
// written on the column: the default of a type reaches columns that nobody
// looks at.
func (c *compilation) domainDefault(col *column) {
	d := c.domainOf(col.typ)
	if d == nil || col.decl.Default != nil || col.decl.Identity.Set || d.decl.Default == nil {
		return
	}
	own := *col.decl
	own.Default = d.decl.Default
	col.decl = &own
}

// domainUse is a domain with the columns of one table that have its type.
type domainUse struct {
	domain  *domain
	columns []string
}

// domainUses lists the domains that a table's columns have, sorted by name.
func (c *compilation) domainUses(t *table) []domainUse {
	var uses []domainUse
	for _, col := range t.columns {
		d := c.domainOf(col.typ)
		if d == nil {
			continue
		}
		if i := slices.IndexFunc(uses, func(u domainUse) bool { return u.domain == d }); i >= 0 {
			uses[i].columns = append(uses[i].columns, col.name)
		} else {
			uses = append(uses, domainUse{d, []string{col.name}})
		}
	}
	return uses
}
