package migrate

import (
	"slices"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// domains reads domains with their checks. One with a default, with NOT NULL or
// with a collation of its own says more than a declaration can, and is equal to
// nothing that is wanted.
func (r *reader) domains() error {
	type row struct {
		Schema, Name, Type, Comment, Extras string
		Checks                              []string // names
		Exprs, Extended                     []string
		Validated                           []bool
	}
	return each(r, `
SELECT n.nspname::text, t.typname::text, format_type(t.typbasetype, t.typtypmod), COALESCE(obj_description(t.oid, 'pg_type'), ''),
       CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || t.typdefault, '') ||
       CASE WHEN t.typcollation <> b.typcollation THEN ' COLLATE ' || t.typcollation::regcollation::text ELSE '' END,
       COALESCE(k.names, '{}'), COALESCE(k.exprs, '{}'), COALESCE(k.extras, '{}'), COALESCE(k.validated, '{}')
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace JOIN pg_type b ON b.oid = t.typbasetype
LEFT JOIN LATERAL (
  SELECT array_agg(conname::text ORDER BY conname) AS names, array_agg(pg_get_expr(conbin, 0) ORDER BY conname) AS exprs,
         array_agg(CASE WHEN (to_jsonb(c) ->> 'conenforced')::boolean IS FALSE THEN ' NOT ENFORCED' ELSE '' END ORDER BY conname) AS extras,
         array_agg(convalidated ORDER BY conname) AS validated
  FROM pg_constraint c WHERE c.contypid = t.oid AND c.contype = 'c') k ON true
WHERE t.typtype = 'd' AND n.nspname = ANY ($1::text[]) ORDER BY 1, 2`,
		func(d *row) {
			domain := ir.Domain{
				Schema: d.Schema, Name: d.Name, Type: ir.Type{Kind: ir.OtherType, Name: d.Type}, Comment: d.Comment,
				Printed: d.Type + d.Extras,
			}
			for i, name := range d.Checks {
				c := ir.Check{Name: name, Expr: d.Exprs[i], Invalid: !d.Validated[i]}
				c.Printed = postgres.Definition(c) + d.Extended[i]
				domain.Checks = append(domain.Checks, c)
			}
			r.schema.Domains = append(r.schema.Domains, domain)
		})
}

// ownedDomain is the part of a domain that a project may change.
func ownedDomain(d *ir.Domain, mine func(ir.ObjectID) (ir.Origin, bool)) (ir.Domain, bool) {
	origin, ok := mine(d.ID())
	if !ok {
		return ir.Domain{}, false
	}
	part := *d
	part.Origin = origin
	part.Checks = keep(d.Checks, func(c *ir.Check) (ir.ObjectID, *ir.Origin) { return d.CheckID(c.Name), &c.Origin }, mine)
	return part, true
}

// domainStates says of a domain and its checks how they stand.
func domainStates(d *ir.Domain, all map[ir.ObjectID]string) {
	all[d.ID()] = d.Printed + "\n" + d.Comment
	for _, c := range d.Checks {
		state := c.Printed
		if c.Invalid {
			state += " NOT VALID"
		}
		all[d.CheckID(c.Name)] = state
	}
}

// domainParts is the domains of a schema of which something is listed, with the
// listed checks.
func domainParts(s *ir.Schema, ids map[ir.ObjectID]bool) []ir.Domain {
	var part []ir.Domain
	for i := range s.Domains {
		d := s.Domains[i]
		d.Checks = filter(d.Checks, func(c ir.Check) bool { return ids[d.CheckID(c.Name)] })
		if ids[d.ID()] || len(d.Checks) > 0 {
			part = append(part, d)
		}
	}
	return part
}

// cloneDomains copies domains down to the fields that prints go into.
func cloneDomains(domains []ir.Domain) []ir.Domain {
	c := slices.Clone(domains)
	for i := range c {
		c[i].Checks = slices.Clone(c[i].Checks)
	}
	return c
}
