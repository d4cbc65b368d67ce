package golang_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/pawl"
	"github.com/pawldb/pawl/testdata/cases/rule/store"
)

const ruleCase = cases + "/rule"

// onCall is a team with some doctors on call.
func onCall(t *testing.T, db *store.Store, name string, doctors ...string) []store.Shift {
	t.Helper()
	shifts, err := store.InTx(t.Context(), db, func(ctx context.Context, tx *store.Store) ([]store.Shift, error) {
		team, err := tx.Teams.Insert(ctx, store.TeamInsert{Name: name})
		if err != nil {
			return nil, err
		}
		var shifts []store.Shift
		for _, doctor := range doctors {
			shift, err := tx.Shifts.Insert(ctx, store.ShiftInsert{TeamID: team.ID, Doctor: doctor, OnCall: true})
			if err != nil {
				return nil, err
			}
			shifts = append(shifts, shift)
		}
		return shifts, nil
	}, pawl.Isolation(pgx.Serializable))
	if err != nil {
		t.Fatal(err)
	}
	return shifts
}

// Two doctors go off call at once: exactly one does, and the other is told which rule
// it was, in every exec mode.
func TestTwoGoOffCall(t *testing.T) {
	url := database(t, compile(t, ruleCase))
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			config, err := pgxpool.ParseConfig(url)
			if err != nil {
				t.Fatal(err)
			}
			config.MaxConns, config.ConnConfig.DefaultQueryExecMode = 2, mode
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			db := store.New(pool)
			for round := range 5 {
				shifts := onCall(t, db, mode.String()+strings.Repeat("!", round), "Ada", "Grace")
				errs := make([]error, 2)
				var group sync.WaitGroup
				for i, shift := range shifts {
					group.Go(func() { errs[i] = db.Rules.SomeoneOnCall.GoOffCall(t.Context(), shift.TeamID, shift.ID) })
				}
				group.Wait()
				if errs[0] != nil {
					errs[0], errs[1] = errs[1], errs[0]
				}
				if errs[0] != nil || !errors.Is(errs[1], pawl.ErrRule) || !errors.Is(errs[1], store.ErrShiftsSomeoneOnCall) {
					t.Fatalf("round %d: %v and %v", round, errs[0], errs[1])
				}
			}
		})
	}
}

// What the methods of a rule and of its tables answer.
func TestRuleAnswers(t *testing.T) {
	pool, db := ruleStore(t)
	ctx := t.Context()
	shifts := onCall(t, db, "day", "Ada", "Grace")
	rule, team := db.Rules.SomeoneOnCall, shifts[0].TeamID
	if err := rule.GoOffCall(ctx, team, 999); !errors.Is(err, pawl.ErrNotFound) {
		t.Errorf("nobody's shift: %v", err)
	}
	if err := db.Check(ctx); err == nil || errors.As(err, new(*pawl.CheckError)) == false {
		t.Errorf("the schema was not applied by pawl: %v", err)
	}
	// Within a transaction the rule may be broken for a while: it is asked at the end.
	_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (struct{}, error) {
		for _, shift := range shifts {
			if err := tx.Rules.SomeoneOnCall.GoOffCall(ctx, team, shift.ID); err != nil {
				return struct{}{}, err
			}
		}
		_, err := tx.Shifts.Insert(ctx, store.ShiftInsert{TeamID: team, Doctor: "Mary", OnCall: true})
		return struct{}{}, err
	}, pawl.Isolation(pgx.Serializable))
	if err != nil {
		t.Fatalf("one takes over from two: %v", err)
	}
	// The method refuses a transaction that is too weak before it sends anything; a
	// method of the table is refused by the database.
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead} {
		for name, call := range map[string]func(context.Context, *store.Store) error{
			"rule": func(ctx context.Context, tx *store.Store) error {
				return tx.Rules.SomeoneOnCall.Leave(ctx, team, shifts[0].ID)
			},
			"table": func(ctx context.Context, tx *store.Store) error { return tx.Shifts.Delete(ctx, shifts[0].ID) },
		} {
			_, err := store.InTx(ctx, db, func(ctx context.Context, tx *store.Store) (struct{}, error) { return struct{}{}, call(ctx, tx) }, pawl.Isolation(level))
			var weak *pawl.IsolationError
			if !errors.As(err, &weak) || weak.Want != pgx.Serializable || errors.Is(err, pawl.ErrRule) {
				t.Errorf("%s at %s: %v", name, level, err)
			}
		}
	}
	// Methods of the tables take the level by themselves, and meet the rule.
	if _, _, err := db.Shifts.Plan(ctx, store.ShiftInsert{TeamID: team, Doctor: "Mary", OnCall: false}); !errors.Is(err, store.ErrShiftsSomeoneOnCall) {
		t.Errorf("an upsert: %v", err)
	}
	if _, err := db.Teams.Insert(ctx, store.TeamInsert{Name: "nobody's"}); !errors.Is(err, store.ErrShiftsSomeoneOnCall) {
		t.Errorf("a team without anybody: %v", err)
	}
	if _, err := db.Shifts.Rename(ctx, shifts[0].ID, func(_ context.Context, s *store.Shift) error { s.Doctor = "Ada L."; return nil }); err != nil {
		t.Errorf("what the rule does not look at: %v", err)
	}
	// Two tables, one of which bounds the other.
	for i := range 3 {
		err := db.Rules.EnoughBeds.Admit(ctx, team, int64(i))
		if want := i == 2; errors.Is(err, store.ErrPatientsEnoughBeds) != want || err != nil && !want {
			t.Errorf("patient %d of two beds: %v", i, err)
		}
	}
	if _, err := db.Teams.Update(ctx, team, store.TeamUpdate{Beds: pawl.Set(int32(1))}); !errors.Is(err, store.ErrPatientsEnoughBeds) {
		t.Errorf("fewer beds than patients: %v", err)
	}
	if _, err := pool.Exec(ctx, "DELETE FROM app.patients"); sqlstate(err) != "PW007" {
		t.Errorf("a raw DELETE: %v", err)
	}
	if _, err := pool.Exec(ctx, `INSERT INTO app."Order Items" VALUES (1, 'u', 'on call')`); sqlstate(err) != "PW007" {
		t.Errorf("a raw INSERT: %v", err)
	}
	if _, err := db.OrderItems.Insert(ctx, store.OrderItemInsert{ID: 1, User: "u", Duty: store.DutyOnCall}); err != nil {
		t.Fatal(err)
	}
	if err := db.Rules.SomeoneSDuty.Stop(ctx, "u", 1); !errors.Is(err, pawl.ErrRule) {
		t.Errorf("the last one: %v", err)
	}
}

func ruleStore(t *testing.T) (*pgxpool.Pool, *store.Store) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), database(t, compile(t, ruleCase)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool, store.New(pool)
}

// A role that has the grants of app_role alone calls the methods, and the rule sees the
// rows that row security hides from it.
func TestRuleAsTheAppRole(t *testing.T) {
	spec, problems := dsl.Load(os.DirFS(ruleCase), dsl.Options{})
	const role = "rule_app"
	spec.Pawl.AppRole.V = role
	program, more := compiler.Compile(spec)
	if problems.Extend(more); problems.HasErrors() {
		t.Fatal(problems)
	}
	owner, err := pgxpool.New(t.Context(), database(t, compile(t, ruleCase)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(owner.Close)
	exec := func(sql string) {
		t.Helper()
		if _, err := owner.Exec(context.WithoutCancel(t.Context()), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("CREATE ROLE " + role)
	t.Cleanup(func() { exec("DROP OWNED BY " + role + "; DROP ROLE " + role) })
	exec(strings.Join(postgres.Grants(role, program.Grants), ";"))
	shifts := onCall(t, store.New(owner), "night", "Ada", "Grace", "Mary")
	exec("ALTER TABLE app.shifts ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON app.shifts TO " + role + " USING (doctor <> 'Mary')")

	config := owner.Config()
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET ROLE "+role)
		return err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	rule := store.New(pool).Rules.SomeoneOnCall
	for _, shift := range shifts[:2] { // Mary, whom the role does not see, stays
		if err := rule.GoOffCall(t.Context(), shift.TeamID, shift.ID); err != nil {
			t.Errorf("%s goes off call: %v", shift.Doctor, err)
		}
	}
	exec("DROP POLICY own ON app.shifts; CREATE POLICY every ON app.shifts TO " + role + " USING (true)")
	if err := rule.GoOffCall(t.Context(), shifts[2].TeamID, shifts[2].ID); !errors.Is(err, store.ErrShiftsSomeoneOnCall) {
		t.Errorf("the last one goes off call: %v", err)
	}
	if err := rule.Leave(t.Context(), shifts[0].TeamID, shifts[0].ID); err != nil {
		t.Error(err)
	}
}

func sqlstate(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// skew has two sessions of plain SQL each take one of the two who are on call, and
// returns what the two commits, or what came before them, said.
func skew(t *testing.T, pool *pgxpool.Pool, shifts []store.Shift, levels [2]pgx.TxIsoLevel) (codes []string) {
	t.Helper()
	ctx := t.Context()
	var open []pgx.Tx
	for i, level := range levels {
		tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: level})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, tx)
		// Both look before either writes.
		if _, err := tx.Exec(ctx, "SELECT count(*) FROM app.shifts WHERE team_id = $1 AND on_call", shifts[i].TeamID); err != nil {
			t.Fatal(err)
		}
	}
	refused := make([]string, 2)
	for i, tx := range open {
		_, err := tx.Exec(ctx, "UPDATE app.shifts SET on_call = false WHERE id = $1", shifts[i].ID)
		refused[i] = sqlstate(err)
	}
	for i, tx := range open {
		if refused[i] != "" {
			_ = tx.Rollback(ctx)
		} else {
			refused[i] = sqlstate(tx.Commit(ctx))
		}
	}
	return refused
}

// Plain SQL at all pairs of levels: a weaker writer is refused at once, and of two
// serializable ones the second is.
func TestRuleForPlainSQL(t *testing.T) {
	pool, db := ruleStore(t)
	all := []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
	for _, first := range all {
		for _, second := range all {
			codes := skew(t, pool, onCall(t, db, string(first+second), "Ada", "Grace"), [2]pgx.TxIsoLevel{first, second})
			want := []string{"PW007", "PW007"}
			if first == pgx.Serializable {
				want[0] = ""
			}
			if second == pgx.Serializable {
				want[1] = ""
				if first == pgx.Serializable {
					want[1] = "40001"
				}
			}
			if !slices.Equal(codes, want) {
				t.Errorf("%s and %s: %v, want %v", first, second, codes, want)
			}
		}
	}
	for _, c := range []struct{ sql, want string }{
		{"UPDATE app.shifts SET doctor = doctor || '!', on_call = on_call", ""},
		{"TRUNCATE app.shifts", "PW006"},
		{"UPDATE app.shifts SET team_id = 2, doctor = 'x' WHERE id = 1", "PW007"},
		{"DELETE FROM app.teams", "PW007"}, // by the foreign key's action
		{"BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE; SELECT count(*) FROM app.shifts; COMMIT", ""},
		{"BEGIN ISOLATION LEVEL SERIALIZABLE; DELETE FROM app.shifts WHERE on_call; COMMIT", "PW006"},
		{"BEGIN ISOLATION LEVEL SERIALIZABLE; DELETE FROM app.teams; COMMIT", ""},
	} {
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), c.sql, pgx.QueryExecModeSimpleProtocol); sqlstate(err) != c.want {
			t.Errorf("%s: %v, want %q", c.sql, err, c.want)
		}
		if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		conn.Release()
	}
}

// Each trigger is needed: without those that refuse a weaker level, two writers at
// REPEATABLE READ leave nobody on call, and so does one without those that ask.
func TestRuleIsNeeded(t *testing.T) {
	pool, db := ruleStore(t)
	ctx := t.Context()
	nobody := func() (n int) {
		if err := pool.QueryRow(ctx, "SELECT count(*) FROM app.teams t WHERE NOT EXISTS (SELECT FROM app.shifts s WHERE s.team_id = t.id AND s.on_call)").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	shifts := onCall(t, db, "one", "Ada", "Grace")
	if _, err := pool.Exec(ctx, "ALTER TABLE app.shifts DISABLE TRIGGER someone_on_call_level_update"); err != nil {
		t.Fatal(err)
	}
	if codes := skew(t, pool, shifts, [2]pgx.TxIsoLevel{pgx.RepeatableRead, pgx.RepeatableRead}); nobody() != 1 {
		t.Errorf("without the triggers that refuse a weaker level: %v, and somebody is on call", codes)
	}
	shifts = onCall(t, db, "two", "Ada")
	if _, err := pool.Exec(ctx, "ALTER TABLE app.shifts DISABLE TRIGGER someone_on_call_update"); err != nil {
		t.Fatal(err)
	}
	if err := db.Rules.SomeoneOnCall.GoOffCall(ctx, shifts[0].TeamID, shifts[0].ID); err != nil || nobody() != 2 {
		t.Errorf("without the trigger that asks: %v, and somebody is on call", err)
	}
}

// With an index on its path the query of a rule leaves locks on what it has looked at,
// and without one on the whole table: why rule-index warns.
func TestRuleReadsThroughAnIndex(t *testing.T) {
	pool, db := ruleStore(t)
	shifts := onCall(t, db, "one", "Ada", "Grace")
	whole := func() (plan string, relation bool) {
		err := pgx.BeginTxFunc(t.Context(), pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
			const asks = "SELECT count(*) >= 1 FROM app.shifts WHERE team_id = $1 AND on_call"
			ctx := t.Context()
			if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off"); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, "EXPLAIN "+asks, shifts[0].TeamID)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			plan = strings.Join(lines, "\n")
			if _, err := tx.Exec(ctx, asks, shifts[0].TeamID); err != nil {
				return err
			}
			return tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE mode = 'SIReadLock' AND locktype = 'relation' AND relation = 'app.shifts'::regclass AND pid = pg_backend_pid())").Scan(&relation)
		})
		if err != nil {
			t.Fatal(err)
		}
		return plan, relation
	}
	if plan, relation := whole(); relation || !strings.Contains(plan, "Index") {
		t.Errorf("with an index: the whole table is locked: %v\n%s", relation, plan)
	}
	if _, err := pool.Exec(t.Context(), "ALTER TABLE app.shifts DROP CONSTRAINT shifts_doctor"); err != nil {
		t.Fatal(err)
	}
	if plan, relation := whole(); !relation || !strings.Contains(plan, "Seq Scan") {
		t.Errorf("without: the whole table is locked: %v\n%s", relation, plan)
	}
}
