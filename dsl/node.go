package dsl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/pawldb/pawl/internal/diag"
)

// node is a value that references name: a variable, a local, a table's name, a
// column's type. It is evaluated once, when something asks for it first.
type node struct {
	done  bool
	value cty.Value
	ok    bool
}

// maxChain bounds how many values in a row may need one another. The evaluation
// recurses over them.
const maxChain = 500

// step is one node of a chain of evaluations.
type step struct {
	name string
	from hcl.Range // the reference that led to it
}

// node returns the value of a name, evaluating it when nobody has yet. It is
// false when the value has an error, which is reported once.
func (p *project) node(name string, from hcl.Range, evaluate func() (cty.Value, bool)) (cty.Value, bool) {
	if n := p.nodes[name]; n != nil {
		if !n.done {
			p.reportCycle(p.address+name, from)
		}
		return n.value, n.done && n.ok
	}
	n := &node{}
	p.nodes[name] = n
	name = p.address + name
	if len(p.running) == maxChain {
		if !p.chainReported { // a chain of thousands is too long at many places
			p.report(tooLarge(from, "More than "+strconv.Itoa(maxChain)+" values in a row need each other.", "shorten the chain"))
		}
		p.chainReported = true
		n.done = true
		return n.value, false
	}
	p.running = append(p.running, step{name, from})
	n.value, n.ok = evaluate()
	p.running = p.running[:len(p.running)-1]
	n.done = true
	return n.value, n.ok
}

// reportCycle reports a value that depends on itself.
func (p *project) reportCycle(name string, from hcl.Range) {
	start := slices.IndexFunc(p.running, func(s step) bool { return s.name == name })
	chain := p.running[start:]
	names := make([]string, 0, len(chain)+1)
	var related []diag.Related
	for i, s := range chain {
		names = append(names, s.name)
		if i > 0 {
			related = append(related, diag.Related{Range: s.from, Text: "which needs " + s.name})
		}
	}
	names = append(names, name)
	p.report(diag.Diagnostic{
		Code:    diag.Cycle,
		Detail:  "The values need each other: " + strings.Join(names, " → ") + ".",
		Subject: from,
		Label:   "needs " + name,
		Related: related,
		Help:    "give one of them a value of its own",
	})
}
