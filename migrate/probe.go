package migrate

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// Violation is a new invariant that rows of the database break already.
type Violation struct {
	Address string
	Pos     ir.Pos
	Object  ir.ObjectID
	Text    string   // "2 groups of rows have the same (email)"
	Count   int64    // rows, pairs or groups, as Text says
	Samples []string // a few of them, as JSON
}

// Error says what is wrong without the rows' values.
func (v *Violation) Error() string {
	return fmt.Sprintf("%s: %s", where(ir.Origin{Address: v.Address, Pos: v.Pos}), v.Text)
}

// probe is a query whose rows break an invariant.
type probe struct {
	object ir.ObjectID
	origin ir.Origin
	query  string
	one    string // what it means that the query has one row
	many   string // and several: %d is their number
	sample string // query for what to show of "violators"; empty for these as they are

	// unbounded says that the work may grow with the square of the table. It is
	// given up after a few seconds, at apply too: such a probe only finds early
	// what the server refuses later.
	unbounded bool
	sweep     *probe // finds the same in one pass; nil when there is no such way
	sweeps    string // query that says whether sweep can be used
}

// maxSamples bounds the rows that a violation shows.
const maxSamples = 5

// run looks for violators; nil when there are none. A probe that is unbounded may
// be given up, which is an error that is [unavailable].
func (p *probe) run(ctx context.Context, tx pgx.Tx) (*Violation, error) {
	if p.sweep != nil {
		var can bool
		if err := tx.QueryRow(ctx, p.sweeps).Scan(&can); err != nil {
			return nil, err
		}
		if can {
			return p.sweep.run(ctx, tx)
		}
	}
	if !p.unbounded {
		return p.look(ctx, tx)
	}
	var v *Violation
	err := limited(ctx, tx, func(tx pgx.Tx) (err error) {
		v, err = p.look(ctx, tx)
		return err
	})
	return v, err
}

// look reads each row once for the count and stops early for the samples. A row is
// written with a star: a bare name would be that of a column, where there is such
// a column.
func (p *probe) look(ctx context.Context, tx pgx.Tx) (*Violation, error) {
	sample := p.sample
	if sample == "" {
		sample = "SELECT * FROM violators"
	}
	var n int64
	var samples []string
	err := tx.QueryRow(ctx, fmt.Sprintf(`
WITH violators AS MATERIALIZED (%s
)
SELECT (SELECT count(*) FROM violators),
       ARRAY(SELECT row_to_json(pawl_shown.*)::text FROM (%s) pawl_shown LIMIT %d)`, p.query, sample, maxSamples)).Scan(&n, &samples)
	if err != nil || n == 0 {
		return nil, err
	}
	text := p.one
	if n > 1 {
		text = fmt.Sprintf(p.many, n)
	}
	return &Violation{
		Address: p.origin.Address, Pos: p.origin.Pos, Object: p.object, Text: text, Count: n, Samples: samples,
	}, nil
}

// duplicates is a probe for a unique constraint or index.
func duplicates(t ir.TableRef, id ir.ObjectID, origin ir.Origin, i ir.Index) *probe {
	var terms, names, notNull []string
	for n, part := range i.Parts {
		term, name := "("+part.Expr+")", fmt.Sprintf("key%d", n+1)
		if part.Column != "" {
			term, name = ir.Ident(part.Column), part.Column
		}
		terms = append(terms, term+" AS "+ir.Ident(name))
		names = append(names, fmt.Sprint(n+1))
		notNull = append(notNull, term+" IS NOT NULL")
	}
	var filters []string
	if !i.NullsNotDistinct {
		filters = notNull
	}
	if i.Where != "" {
		filters = append(filters, "("+i.Where+"\n)")
	}
	where := ""
	if len(filters) > 0 {
		where = " WHERE " + strings.Join(filters, " AND ")
	}
	return &probe{
		object: id, origin: origin, one: "1 key stands in more than one row", many: "%d keys stand in more than one row",
		query: "SELECT " + strings.Join(terms, ", ") + ", count(*) AS rows FROM " + t.SQL() + where +
			" GROUP BY " + strings.Join(names, ", ") + " HAVING count(*) > 1",
	}
}

// broken is a probe for a check.
func broken(t *ir.Table, id ir.ObjectID, c ir.Check) *probe {
	return &probe{
		object: id, origin: c.Origin, one: "1 row does not pass the check", many: "%d rows do not pass the check",
		query: "SELECT " + keyOrAll(t) + " FROM " + t.Ref().SQL() + " WHERE NOT (" + c.Expr + "\n)",
	}
}

// missing is a probe for NOT NULL.
func missing(t *ir.Table, c ir.Column) *probe {
	name := ir.Ident(c.Name)
	return &probe{
		object: t.ID(ir.ColumnObject, c.Name), origin: c.Origin,
		one: "1 row has no value in " + name, many: "%d rows have no value in " + strings.ReplaceAll(name, "%", "%%"),
		query: "SELECT " + keyOrAll(t) + " FROM " + t.Ref().SQL() + " WHERE " + ir.Ident(c.Name) + " IS NULL",
	}
}

// orphans is a probe for a foreign key. Rows with a NULL in it refer to nothing.
func orphans(t *ir.Table, id ir.ObjectID, k ir.ForeignKey) *probe {
	var shown, matches, notNull []string
	for n, column := range k.Columns {
		shown = append(shown, "c."+ir.Ident(column))
		notNull = append(notNull, "c."+ir.Ident(column)+" IS NOT NULL")
		matches = append(matches, "p."+ir.Ident(k.RefColumns[n])+" = c."+ir.Ident(column))
	}
	return &probe{
		object: id, origin: k.Origin, one: "1 key refers to no row", many: "%d keys refer to no row",
		query: "SELECT " + strings.Join(shown, ", ") + ", count(*) AS rows FROM " + t.Ref().SQL() + " c WHERE " +
			strings.Join(notNull, " AND ") + " AND NOT EXISTS (SELECT FROM " + ir.Qualified(k.RefSchema, k.RefTable) +
			" p WHERE " + strings.Join(matches, " AND ") + ") GROUP BY " + strings.Join(shown, ", "),
	}
}

// keyOrAll spells what a sample shows of a row: its key, or all of it. The rows
// of a probe are not rows of generated code, so that a star is fine here.
func keyOrAll(t *ir.Table) string {
	if t.PrimaryKey == nil {
		return "*"
	}
	return ir.Idents(t.PrimaryKey.Columns)
}
