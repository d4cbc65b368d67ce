package postgres

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// Grants spell what a role may do, one statement for each object. Grants on one
// object stand next to each other.
func Grants(role string, grants []ir.Grant) []string {
	return eachObject(grants, func(privileges, object string) string {
		return "GRANT " + privileges + " ON " + object + " TO " + ir.Ident(role)
	})
}

// CreateRole spells a role that can log in, without a password.
func CreateRole(role string) string { return "CREATE ROLE " + ir.Ident(role) + " LOGIN" }

// Revokes spell what a role may do no more.
func Revokes(role string, grants []ir.Grant) []string {
	return eachObject(grants, func(privileges, object string) string {
		return "REVOKE " + privileges + " ON " + object + " FROM " + ir.Ident(role)
	})
}

func eachObject(grants []ir.Grant, spell func(privileges, object string) string) []string {
	var statements []string
	for len(grants) > 0 {
		object := grants[0].Object()
		n := slices.IndexFunc(grants, func(g ir.Grant) bool { return g.Object() != object })
		if n < 0 {
			n = len(grants)
		}
		privileges := ""
		for i, g := range grants[:n] {
			if i > 0 {
				privileges += ", "
			}
			privileges += string(g.Privilege)
			if len(g.Columns) > 0 {
				privileges += " " + list(g.Columns)
			}
		}
		on := "SCHEMA " + ir.Ident(object.Name)
		if object.Kind == ir.TableObject {
			on = object.SQL()
		}
		statements = append(statements, spell(privileges, on))
		grants = grants[n:]
	}
	return statements
}
