package postgres

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// createDomain spells a domain with its checks, and its comment. NULL passes all
// of them: whether it may stand in a column is for the column to say.
func createDomain(d ir.Domain) []string {
	parts := []string{"CREATE DOMAIN " + domainName(d) + " AS " + d.Type.SQL()}
	for _, c := range d.Checks {
		parts = append(parts, constraint(c))
	}
	separator := " "
	if len(parts) > 2 || len(strings.Join(parts, " ")) > 100 {
		separator = "\n  "
	}
	statements := []string{strings.Join(parts, separator)}
	if d.Comment != "" {
		statements = append(statements, commentOnDomain(d, d.Comment))
	}
	return statements
}

func domainName(d ir.Domain) string { return ir.Qualified(d.Schema, d.Name) }

func commentOnDomain(d ir.Domain, text string) string {
	return "COMMENT ON DOMAIN " + domainName(d) + " IS " + comment(text)
}

func alterDomain(d ir.Domain, action string) string {
	return "ALTER DOMAIN " + domainName(d) + " " + action
}

// AddDomainNotValid spells a check of a domain that binds new values at once and
// leaves the old ones to a later VALIDATE CONSTRAINT.
func AddDomainNotValid(d ir.Domain, c ir.Check) string {
	return alterDomain(d, "ADD "+constraint(c)+" NOT VALID")
}

// RenameDomainCheck spells a check's new name.
func RenameDomainCheck(d ir.Domain, from, to string) string {
	return alterDomain(d, "RENAME CONSTRAINT "+ir.Ident(from)+" TO "+ir.Ident(to))
}

// LockForReading spells the lock that keeps writers out of tables, and waits for
// those that are in.
func LockForReading(tables []ir.TableRef) string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.SQL()
	}
	return "LOCK TABLE " + strings.Join(names, ", ") + " IN SHARE MODE"
}
