package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/explore"
)

// SpecOptions are what a specification needs beyond the counterexample.
type SpecOptions struct {
	// Schema makes the objects that the fixture fills, a statement each. For a
	// mutant it is the changed schema.
	Schema []string
	// Schemas are the names of what Schema creates; the teardown drops them.
	Schemas []string
	// Gates are the tables ("app.seats", quoted as SQL quotes them) whose statements
	// the schedule may stop inside. Empty for all of them.
	Gates []string
	// About are lines for the head: what the check is, what the mutant changed.
	About []string
}

// ErrNotExportable is why a schedule has no form as a specification.
var ErrNotExportable = errors.New("isolationtester cannot run this schedule")

// Spec is a counterexample as a specification for isolationtester, PostgreSQL's
// own tool, so that nobody has to believe ours. It wraps [ErrNotExportable] when
// a statement is one that isolationtester cannot send.
//
// Each session is one of the specification's; arguments become literals. Where
// the schedule stops inside a statement, triggers stop it there, at an advisory
// lock that a session "gates" holds and gives back.
func Spec(c *verify.Counterexample, o SpecOptions) (string, error) {
	if c.Run == nil || len(c.Run.Steps) == 0 {
		return "", fmt.Errorf("%w: it has no steps", ErrNotExportable)
	}
	s := spec{run: c.Run, sessions: make([][]specStep, clients(c.Run)), stops: make([]int, clients(c.Run)), passed: make([]int, clients(c.Run))}
	if err := s.read(); err != nil {
		return "", fmt.Errorf("%s: %w", c.ID, err)
	}
	s.head(c, o)
	if err := s.setup(c, o); err != nil {
		return "", fmt.Errorf("%s: %w", c.ID, err)
	}
	s.body(filledTables(c.Fixture))
	return s.out.String(), nil
}

type specStep struct{ name, sql string }

type spec struct {
	run      *explore.Run
	sessions [][]specStep
	gates    []specStep
	// stops and passed count, for each session, where it stopped inside of a
	// statement and where it was let go on.
	stops, passed []int
	permutation   []string
	waits         int
	deadlocks     bool // somebody was the victim of one, perhaps without a wait of its own
	out           strings.Builder
}

// letGo is how long the step that opens a gate takes: isolationtester does not
// wait for the statement that goes on, but for this step it does.
const letGo = "0.1"

// read turns the run into steps and their order.
func (s *spec) read() error {
	for _, step := range s.run.Steps {
		switch step.Kind {
		case explore.Resume: // isolationtester sees for itself who goes on
		case explore.Continue:
			s.passed[step.Client]++
			name := fmt.Sprintf("go_%s_%d", session(step.Client), s.passed[step.Client])
			s.gates = append(s.gates, specStep{name, fmt.Sprintf("SELECT pg_advisory_unlock(%d, %d), pg_sleep(%s);",
				gateKey(step.Client), s.passed[step.Client], letGo)})
			s.permutation = append(s.permutation, name)
		case explore.Begin, explore.Statement, explore.Commit, explore.Rollback:
			for _, sql := range step.Ahead {
				if err := s.send(step.Client, sql, nil); err != nil {
					return err
				}
			}
			sql := strings.TrimSpace(step.SQL)
			if sql == "" {
				sql = strings.ToUpper(string(step.Kind))
			}
			if err := s.send(step.Client, sql, step.Args); err != nil {
				return err
			}
		}
		s.deadlocks = s.deadlocks || step.Err != nil && strings.Contains(step.Err.Error(), "40P01")
		switch step.State {
		case explore.Stopped:
			s.stops[step.Client]++
		case explore.Waiting:
			s.waits++
		case explore.Done:
		}
	}
	return nil
}

// gateKey is the first half of the advisory locks of a client's gates.
func gateKey(client int) int { return 7300 + client }

// send adds a step to a session. Its text needs no parameters and holds no brace.
func (s *spec) send(client int, sql string, args []string) error {
	if strings.ContainsRune(sql, 0) {
		return fmt.Errorf("%w: a statement holds a zero byte", ErrNotExportable)
	}
	if copies(sql) {
		return fmt.Errorf("%w: COPY needs data that a specification cannot hold", ErrNotExportable)
	}
	text, err := specText(withArguments(sql, args))
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s_%d", session(client), len(s.sessions[client])+1)
	s.sessions[client] = append(s.sessions[client], specStep{name, text})
	s.permutation = append(s.permutation, name)
	return nil
}

// copies reports whether a statement is COPY … FROM STDIN or TO STDOUT.
func copies(sql string) bool {
	var words []string
	for _, p := range pieces(sql) {
		if p.class == code {
			words = append(words, strings.Fields(strings.ToUpper(p.text))...)
		}
	}
	return len(words) > 0 && words[0] == "COPY"
}

// specText is SQL that ends in a semicolon, on lines of its own when it ends in
// a comment, and holds no closing brace.
func specText(sql string) (string, error) {
	sql, err := withoutBraces(strings.TrimRight(sql, "; \n\t"))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotExportable, err)
	}
	if list := pieces(sql); len(list) > 0 && list[len(list)-1].class == comment {
		sql += "\n"
	}
	return sql + ";", nil
}

func (s *spec) head(c *verify.Counterexample, o SpecOptions) {
	s.comment(c.ID)
	for _, line := range o.About {
		s.comment(line)
	}
	for _, v := range s.run.Violations {
		s.comment("broken: " + v.Rule)
		for _, row := range v.Rows[:min(len(v.Rows), evidenceRows)] {
			s.comment("  " + namedValues(v.Columns, row))
		}
	}
	s.comment("Run it as a superuser, each specification in a fresh database: the objects of another one would be in its way.")
	s.comment("  createdb scratch; isolationtester 'dbname=scratch' < FILE; dropdb scratch")
}

func (s *spec) comment(text string) { fmt.Fprintf(&s.out, "# %s\n", visible(text)) }

func (s *spec) block(word, indent, sql string) {
	if strings.Contains(sql, "\n") {
		fmt.Fprintf(&s.out, "%s%s\n%s{\n%s\n%s}\n", indent, word, indent, sql, indent)
		return
	}
	fmt.Fprintf(&s.out, "%s%s { %s }\n", indent, word, sql)
}

// setup makes schema, gates and rows, and takes them away.
func (s *spec) setup(c *verify.Counterexample, o SpecOptions) error {
	s.out.WriteString("\n")
	statements := slices.Clone(o.Schema)
	if len(s.gates) > 0 {
		statements = append(statements, gateFunction(len(s.sessions)), gateTriggers(o.Gates))
	}
	if strings.TrimSpace(c.Fixture) != "" {
		statements = append(statements, c.Fixture)
	}
	for _, statement := range statements {
		sql, err := specText(statement)
		if err != nil {
			return err
		}
		s.block("setup", "", sql)
	}
	var drops []string
	for _, name := range o.Schemas {
		drops = append(drops, "DROP SCHEMA IF EXISTS "+ir.Ident(name)+" CASCADE;")
	}
	if len(s.gates) > 0 {
		drops = append(drops, "DROP SCHEMA pawl_gates CASCADE;")
	}
	if len(drops) > 0 {
		sql, err := specText(strings.Join(drops, "\n"))
		if err != nil {
			return err
		}
		s.block("teardown", "", sql)
	}
	return nil
}

// gateFunction is a trigger function that stops where package explore does:
// before the first row of a statement, and before each row after the first. A
// sequence counts the stops, because a rollback does not set it back. What the
// current statement has seen stands in a setting: when it began, and its rows.
func gateFunction(clients int) string {
	var sequences strings.Builder
	for client := range clients {
		fmt.Fprintf(&sequences, "CREATE SEQUENCE pawl_gates.gates_of_%d;\n", gateKey(client))
	}
	return "CREATE SCHEMA pawl_gates;\n" + sequences.String() + `CREATE FUNCTION pawl_gates.stop() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
  result record := CASE WHEN TG_LEVEL = ''STATEMENT'' THEN NULL WHEN TG_OP = ''DELETE'' THEN OLD ELSE NEW END;
  key int := nullif(current_setting(''pawl_gates.key'', true), '''')::int;
  setting text := ''pawl_gates.t'' || TG_RELID;
  seen text[] := string_to_array(current_setting(setting, true), '' '');
  stamp text := extract(epoch FROM statement_timestamp())::text;
  gate int;
BEGIN
  IF key IS NULL THEN RETURN result; END IF;
  IF TG_LEVEL = ''STATEMENT'' THEN
    PERFORM set_config(setting, stamp || '' 0'', true);
    -- ON CONFLICT DO UPDATE and MERGE have several operations; the first is the gate.
    IF seen[1] = stamp AND seen[2] = ''0'' THEN RETURN result; END IF;
  ELSE
    PERFORM set_config(setting, stamp || '' '' || (seen[2]::int + 1), true);
    IF seen[2] = ''0'' THEN RETURN result; END IF;
  END IF;
  gate := nextval(format(''pawl_gates.gates_of_%s'', key)::regclass);
  PERFORM pg_advisory_lock(key, gate);
  PERFORM pg_advisory_unlock(key, gate);
  RETURN result;
END'`
}

// gateTriggers puts the function on the tables. Its name sorts before others', so
// that it stops before they do anything.
func gateTriggers(tables []string) string {
	const each = `EXECUTE format(''CREATE TRIGGER "!pawl_gate_statement" BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH STATEMENT EXECUTE FUNCTION pawl_gates.stop()'', gated);
    EXECUTE format(''CREATE TRIGGER "!pawl_gate_row" BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION pawl_gates.stop()'', gated);`
	from := `SELECT oid::regclass FROM pg_class WHERE relkind = ''r'' AND relpersistence <> ''t''
    AND relnamespace::regnamespace::text NOT LIKE ''pg\_%'' AND relnamespace::regnamespace::text <> ''information_schema''`
	if len(tables) > 0 {
		list := make([]string, len(tables))
		for i, table := range tables {
			list[i] = doubled(ir.Literal(table)) + "::regclass"
		}
		from = "SELECT unnest(ARRAY[" + strings.Join(list, ", ") + "])"
	}
	return "DO '\nDECLARE gated regclass;\nBEGIN\n  FOR gated IN " + from + " LOOP\n    " + each + "\n  END LOOP;\nEND'"
}

// doubled is SQL as it stands inside a string constant.
func doubled(sql string) string { return strings.ReplaceAll(sql, "'", "''") }

// body writes the sessions and the order of their steps. A session more shows at
// the end what became of the rows of the tables.
func (s *spec) body(tables []string) {
	if len(s.gates) > 0 {
		// The first session: its setup must hold the locks before anybody starts.
		fmt.Fprintf(&s.out, "\nsession gates\n")
		var locks []string
		for client, stops := range s.stops {
			for gate := range stops {
				locks = append(locks, fmt.Sprintf("pg_advisory_lock(%d, %d)", gateKey(client), gate+1))
			}
		}
		s.block("setup", "", "DO 'BEGIN PERFORM "+strings.Join(locks, ", ")+"; END';")
		for _, step := range s.gates {
			s.block("step "+step.name, "", step.sql)
		}
		s.block("teardown", "", "SELECT pg_advisory_unlock_all();")
	}
	for client, steps := range s.sessions {
		if len(steps) == 0 {
			continue
		}
		s.out.WriteString("\n")
		if client < len(s.run.Clients) {
			s.comment(s.run.Clients[client])
		}
		fmt.Fprintf(&s.out, "session %s\n", session(client))
		var settings []string
		if len(s.gates) > 0 {
			settings = append(settings, fmt.Sprintf("SET pawl_gates.key = '%d';", gateKey(client)))
		}
		if s.waits > 1 || s.deadlocks {
			// Whoever closes a circle is then its victim, as in pawl's own runs.
			settings = append(settings, "SET deadlock_timeout = '1ms';")
		}
		if len(settings) > 0 {
			s.block("setup", "", strings.Join(settings, " "))
		}
		for _, step := range steps {
			s.block("step "+step.name, "", step.sql)
		}
		if s.leavesOpen(client) {
			// The teardown would wait for its locks.
			s.block("teardown", "", "ROLLBACK;")
		}
	}
	if len(tables) > 0 {
		s.out.WriteString("\n# What is there in the end.\nsession after\n")
	}
	for i, table := range tables {
		name := fmt.Sprintf("after_%d", i+1)
		s.block("step "+name, "", "SELECT * FROM "+table+" ORDER BY 1;")
		s.permutation = append(s.permutation, name)
	}
	fmt.Fprintf(&s.out, "\npermutation %s\n", strings.Join(s.permutation, " "))
}

// leavesOpen reports whether a client's last transaction does not end in the
// schedule: it gave up, or its connection did.
func (s *spec) leavesOpen(client int) bool {
	open := false
	for _, step := range s.run.Steps {
		if step.Client != client {
			continue
		}
		for _, sql := range step.Ahead {
			open = open || begins(sql)
		}
		switch step.Kind {
		case explore.Begin:
			open = true
		case explore.Commit, explore.Rollback:
			open = false
		case explore.Statement, explore.Continue, explore.Resume:
		}
	}
	return open
}

// begins reports whether a statement is BEGIN or START TRANSACTION.
func begins(sql string) bool {
	word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(withoutComment(sql))), " ")
	word = strings.TrimRight(word, ";")
	return word == "BEGIN" || word == "START"
}
