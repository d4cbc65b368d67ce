package graph

import (
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// Tables draws the tables with their columns, and an arrow for each foreign key
// from the table that has it.
func Tables(p *ir.Program) *Graph {
	g := &Graph{Name: "tables"}
	at := map[ir.TableRef]int{}
	for i := range p.Schema.Tables {
		t := &p.Schema.Tables[i]
		at[ir.TableRef{Schema: t.Schema, Name: t.Name}] = g.node(Node{
			Frame: -1, Shape: Box, Title: tableName(p, t.Schema, t.Name), Lines: columnLines(t),
		})
	}
	for i := range p.Schema.Tables {
		for _, key := range p.Schema.Tables[i].ForeignKeys {
			parent := ir.TableRef{Schema: key.RefSchema, Name: key.RefTable}
			if _, known := at[parent]; !known {
				// A table that the program refers to and does not own.
				at[parent] = g.node(Node{Frame: -1, Shape: Box, Title: tableName(p, parent.Schema, parent.Name)})
			}
			g.edge(i, at[parent], foreignKeyLines(key)...)
		}
	}
	return g
}

// tableName leaves the schema out where it is the default one.
func tableName(p *ir.Program, schema, name string) string {
	if schema == p.DefaultSchema {
		return name
	}
	return schema + "." + name
}

// columnLines describe the columns: name, type, and what else matters to a reader.
func columnLines(t *ir.Table) []string {
	var lines []string
	for _, c := range t.Columns {
		line := c.Name + " " + c.Type.SQL()
		if t.PrimaryKey != nil && slices.Contains(t.PrimaryKey.Columns, c.Name) {
			line += " PK"
		}
		if slices.ContainsFunc(t.ForeignKeys, func(k ir.ForeignKey) bool { return slices.Contains(k.Columns, c.Name) }) {
			line += " FK"
		}
		if c.Null {
			line += " NULL"
		}
		lines = append(lines, line)
	}
	return lines
}

func foreignKeyLines(key ir.ForeignKey) []string {
	lines := []string{strings.Join(key.Columns, ", ")}
	if key.OnDelete != ir.NoAction && key.OnDelete != "" {
		lines = append(lines, "on delete "+strings.ToLower(string(key.OnDelete)))
	}
	return lines
}
