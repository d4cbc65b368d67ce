package migrate

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler/ir"
)

// roleRecord is the kind of a record of pawl.object that says whom the project
// gave grants: they are taken back when the specification names another role.
const roleRecord ir.ObjectKind = "role"

// RoleError says that the role that generated code is to run as cannot get its
// grants. Nothing was done: pawl makes no roles.
type RoleError struct{ Role, Text string }

// Error says what to do.
func (e *RoleError) Error() string {
	return fmt.Sprintf("app_role = %q: %s", e.Role, e.Text)
}

// grantKey is one right, of one column where it is about columns.
type grantKey struct {
	object    ir.ObjectID
	privilege ir.Privilege
	column    string
}

// standing is what the roles may do today.
type standing struct {
	has  map[grantKey]bool
	owns map[ir.ObjectID]bool // and may do everything there, whatever is granted
}

// grants compares what the role of the generated code may do with what it needs.
// Only tables of the project are compared; a schema may be shared, so USAGE on it
// is given and never taken back.
func (p *planning) grants() error {
	roles := slices.Clone(p.ledger.roles)
	if role := p.program.AppRole; role != "" && !slices.Contains(roles, role) {
		roles = append(roles, role)
	}
	slices.Sort(roles)
	for _, role := range roles {
		var have *standing
		err := snapshot(p.ctx, p.conn, func(tx pgx.Tx) (err error) {
			if role == p.program.AppRole {
				if err := grantable(p.ctx, tx, role); err != nil {
					return err
				}
			}
			have, err = readGrants(p.ctx, tx, role, concerned(p.ledger, p.program))
			return err
		})
		if err != nil {
			return err
		}
		p.grantTo(role, have)
	}
	return nil
}

// MakeRole makes the role that the generated code runs as where it is missing,
// without a password. It is for a private server, where nobody else makes it.
func MakeRole(ctx context.Context, conn *pgx.Conn, role string) error {
	if role == "" {
		return nil
	}
	var exists bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, postgres.CreateRole(role))
	}
	if err != nil {
		return fmt.Errorf("making the role %s: %w", ir.Ident(role), err)
	}
	return nil
}

// grantable refuses a role that is not there, and one for which grants would mean
// nothing.
func grantable(ctx context.Context, tx pgx.Tx, role string) error {
	var exists, applies bool
	err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1), current_user = $1", role).Scan(&exists, &applies)
	switch {
	case err != nil:
		return fmt.Errorf("looking for the role %s: %w", ir.Ident(role), err)
	case !exists:
		return &RoleError{role, "there is no such role in the database. pawl makes none: CREATE ROLE " + ir.Ident(role) +
			" LOGIN, with the password that the application uses, and plan again."}
	case applies:
		return &RoleError{role, "it is the role that applies, and owns what it makes: it could disable every trigger and drop every constraint. " +
			"Apply as another role, or take app_role out."}
	}
	return nil
}

// readGrants reads what a role was granted by name; what PUBLIC or a role that it
// is a member of may do is not its own.
func readGrants(ctx context.Context, tx pgx.Tx, role string, schemas []string) (*standing, error) {
	s := &standing{has: map[grantKey]bool{}, owns: map[ir.ObjectID]bool{}}
	rows, err := tx.Query(ctx, `
WITH wanted AS (SELECT oid FROM pg_roles WHERE rolname = $1), tables AS (
  SELECT c.oid, n.nspname, c.relname, c.relacl, c.relowner
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY ($2::text[]) AND c.relkind IN ('r', 'p')
)
SELECT n.nspname::text, '', x.privilege_type, '' FROM pg_namespace n, aclexplode(n.nspacl) x, wanted w
WHERE n.nspname = ANY ($2::text[]) AND x.grantee = w.oid
UNION ALL SELECT n.nspname::text, '', 'owner', '' FROM pg_namespace n, wanted w WHERE n.nspname = ANY ($2::text[]) AND n.nspowner = w.oid
UNION ALL SELECT t.nspname::text, t.relname::text, x.privilege_type, '' FROM tables t, aclexplode(t.relacl) x, wanted w WHERE x.grantee = w.oid
UNION ALL SELECT t.nspname::text, t.relname::text, 'owner', '' FROM tables t, wanted w WHERE t.relowner = w.oid
UNION ALL SELECT t.nspname::text, t.relname::text, x.privilege_type, a.attname::text
FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped, aclexplode(a.attacl) x, wanted w
WHERE x.grantee = w.oid`, role, schemas)
	if err != nil {
		return nil, fmt.Errorf("inspecting grants: %w", err)
	}
	var g ir.Grant
	var column string
	_, err = pgx.ForEachRow(rows, []any{&g.Schema, &g.Table, &g.Privilege, &column}, func() error {
		if g.Privilege == "owner" {
			s.owns[g.Object()] = true
		} else {
			s.has[grantKey{g.Object(), g.Privilege, column}] = true
		}
		return nil
	})
	return s, err
}

// moved is what stands under the names that renames give it.
func (s *standing) moved(r *relocation) *standing {
	now := &standing{has: map[grantKey]bool{}, owns: map[ir.ObjectID]bool{}}
	for k := range s.has {
		if k.column != "" {
			k.column = r.column(ir.TableRef{Schema: k.object.Schema, Name: k.object.Name}, k.column)
		}
		k.object = r.id(k.object)
		now.has[k] = true
	}
	for id := range s.owns {
		now.owns[r.id(id)] = true
	}
	return now
}

// grantTo plans the difference for one role, in one transaction: code that runs
// finds each right that it needs before and after.
func (p *planning) grantTo(role string, have *standing) {
	have = have.moved(p.moves)
	var wanted []ir.Grant
	if role == p.program.AppRole {
		wanted = p.program.Grants
	}
	s := Step{Blocks: BlocksNothing, Retry: RetryLock, Address: "pawl", Why: "app_role says so", Undo: "apply the specification as it was"}
	known := slices.Contains(p.ledger.roles, role)
	saves := record{Project: p.program.Project, Address: "pawl", ID: ir.ObjectID{Kind: roleRecord, Name: role}}
	s.Title = "grant " + ir.Ident(role) + " what the generated code needs"
	switch {
	case role != p.program.AppRole:
		s.Title = "take the grants of " + ir.Ident(role) + " back: app_role does not say it any more"
		s.forgets = []ir.ObjectID{saves.ID}
	case !known:
		s.saves = []record{saves}
	}
	line := func(sql string) {
		p.plan.Changes = append(p.plan.Changes, Change{Action: Alter, Address: "pawl", Object: saves.ID, Text: sql})
	}
	surplus := p.surplus(wanted, have)
	for _, sql := range postgres.Revokes(role, surplus) {
		s.SQL = append(s.SQL, sql)
		line(sql)
	}
	lacking := lacking(wanted, have)
	for _, sql := range postgres.Grants(role, lacking) {
		s.SQL = append(s.SQL, sql)
		line(sql)
	}
	if len(s.SQL) == 0 && len(s.saves) == 0 && len(s.forgets) == 0 {
		return
	}
	s.Transaction = lastTransaction(p.plan.Steps) + 1
	p.plan.Steps = append(p.plan.Steps, s)
}

// lacking lists wanted grants that are not there, whole objects in their order.
func lacking(wanted []ir.Grant, have *standing) (list []ir.Grant) {
	for _, g := range wanted {
		if have.owns[g.Object()] || have.has[grantKey{g.Object(), g.Privilege, ""}] {
			continue
		}
		var columns []string
		for _, c := range g.Columns {
			if !have.has[grantKey{g.Object(), g.Privilege, c}] {
				columns = append(columns, c)
			}
		}
		if len(g.Columns) == 0 || len(columns) > 0 {
			g.Columns = columns
			list = append(list, g)
		}
	}
	return list
}

// surplus lists grants on the project's tables that nothing needs, and takes them
// out of what stands. PostgreSQL takes the rights on columns along with one on
// their table, so those are given again.
func (p *planning) surplus(wanted []ir.Grant, have *standing) (list []ir.Grant) {
	needed := map[grantKey]bool{}
	for _, g := range wanted {
		needed[grantKey{g.Object(), g.Privilege, ""}] = len(g.Columns) == 0
		for _, c := range g.Columns {
			needed[grantKey{g.Object(), g.Privilege, c}] = true
		}
	}
	for i := range p.want.Tables {
		t := &p.want.Tables[i]
		id := t.ID(ir.TableObject, t.Name)
		if _, mine := p.ledger.mine[id]; !mine || have.owns[id] {
			continue
		}
		var gone []grantKey
		for k := range have.has {
			column := k.column == "" || slices.ContainsFunc(t.Columns, func(c ir.Column) bool { return c.Name == k.column })
			if k.object == id && column && !needed[k] {
				gone = append(gone, k)
			}
		}
		slices.SortFunc(gone, func(a, b grantKey) int {
			return slices.Compare([]string{string(a.privilege), a.column}, []string{string(b.privilege), b.column})
		})
		list = append(list, have.without(t.Ref(), gone)...)
	}
	return list
}

// without takes rights on one table away, and says them as grants.
func (s *standing) without(t ir.TableRef, gone []grantKey) (list []ir.Grant) {
	for _, k := range gone {
		if !s.has[k] {
			continue // went with the one on the table
		}
		delete(s.has, k)
		g := ir.Grant{Schema: t.Schema, Table: t.Name, Privilege: k.privilege}
		if k.column != "" {
			if n := len(list); n > 0 && list[n-1].Privilege == k.privilege && len(list[n-1].Columns) > 0 {
				list[n-1].Columns = append(list[n-1].Columns, k.column)
				continue
			}
			g.Columns = []string{k.column}
		} else {
			for other := range s.has {
				if other.object == k.object && other.privilege == k.privilege {
					delete(s.has, other)
				}
			}
		}
		list = append(list, g)
	}
	return list
}
