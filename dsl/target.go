package dsl

import (
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/pawldb/pawl/internal/diag"
)

// Target is a target block: a database that commands name with --target.
//
// What reads the environment has a value only where [Options].Target names the
// block, so that nothing else depends on the environment.
type Target struct {
	Block
	URL         Value[string] // what the application connects to
	AdminURL    Value[string] // a session of its own, past any pooler
	Pooler      Value[string] // transaction
	LockTimeout Value[time.Duration]
	Protect     Value[bool]
}

var targetSchema = blockSchema{
	Type: "target", Label: "the name of the target", NoAllow: true, Doc: "a database that plan and apply can name",
	Attrs: []attrSchema{
		{Name: "url", Kind: stringKind, Doc: "where the database is; env(\"NAME\") works here"},
		{Name: "admin_url", Kind: stringKind, Doc: "the same past a pooler, for plan and apply; env(\"NAME\") works here"},
		{Name: "pooler", Kind: choiceKind, Choices: []string{"transaction"}, Doc: "what the application's connections go through"},
		{Name: "lock_timeout", Kind: durationKind, Doc: "how long a step of an apply waits for a lock before it tries again; 3s when absent"},
		{Name: "protect", Kind: boolKind, Doc: "refuses steps that lose data, even with --allow"},
	},
}

// readsEnvironment reports whether env() works in an attribute: in a variable's
// default, and in a target but for what generated code depends on.
func readsEnvironment(s *attrSchema) bool {
	if s == nil {
		return false
	}
	return s == attrOf(&variableSchema, "default") || s.Name != "pooler" && s == attrOf(&targetSchema, s.Name)
}

func (p *project) decodeTarget(block *hclsyntax.Block) {
	b := p.open(block, &targetSchema)
	if b.block.Name.Text == "" || b.block.Name.Text != p.options.Target {
		for name, attr := range b.attrs {
			if name != "pooler" && callsEnvironment(attr.Expr) {
				delete(b.attrs, name)
			}
		}
	}
	p.spec.Targets = append(p.spec.Targets, &Target{
		Block: b.block, URL: b.text("url"), AdminURL: b.text("admin_url"), Pooler: b.choice("pooler"),
		LockTimeout: b.duration("lock_timeout"), Protect: b.flag("protect"),
	})
}

// callsEnvironment reports whether an expression reads the environment.
func callsEnvironment(expr hclsyntax.Expression) bool {
	found := false
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		call, ok := n.(*hclsyntax.FunctionCallExpr)
		found = found || ok && call.Name == envFunction
		return nil
	})
	return found
}

// checkTarget reports a target that a command names and nothing declares.
func (p *project) checkTarget() {
	name := p.options.Target
	if name == "" || p.incomplete || slices.ContainsFunc(p.spec.Targets, func(t *Target) bool { return t.Name.Text == name }) {
		return
	}
	names := make([]string, 0, len(p.spec.Targets))
	for _, t := range p.spec.Targets {
		names = append(names, t.Name.Text)
	}
	p.report(diag.Diagnostic{
		Code:   diag.UnknownReference,
		Detail: "No target " + quote(name) + " is declared.",
		Help:   didYouMean(name, names, "declare it: target "+quote(name)+" { url = env(\"DATABASE_URL\") }"),
	})
}
