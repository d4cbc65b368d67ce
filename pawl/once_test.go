package pawl_test

import (
	"database/sql/driver"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/pawl"
)

// A key of an idempotency by hand, in the form that the compiler gives it.
const onceSQL = `CREATE TABLE app.once (
  key text CONSTRAINT once_pkey PRIMARY KEY, hash bytea NOT NULL, version smallint NOT NULL,
  status integer NOT NULL, header json, body bytea
)`

var once = pawl.Once{
	Name: "idempotency.once", Table: "app.once", PrimaryKey: "once_pkey",
	LockSQL: `SELECT pg_try_advisory_xact_lock(hashtextextended($1::text, 0))`,
	Look: pawl.Operation{
		Name: "idempotency.once.look", ReadOnly: true,
		SQL: `SELECT hash, version, true, false, status, header, body FROM app.once WHERE key = $1::text`,
	},
	Store: pawl.Operation{
		Name: "idempotency.once.store",
		SQL:  `INSERT INTO app.once VALUES ($1::text, $2::bytea, $3::smallint, $4::integer, $5::json, $6::bytea)`,
	},
}

// brittle is a key that cannot be written any more once it is broken.
type brittle struct {
	secret string
	broken *bool
}

func (b brittle) Value() (driver.Value, error) {
	if *b.broken {
		return nil, errors.New("no value of " + b.secret)
	}
	return b.secret, nil
}

// A key that cannot be sent is bad input wherever it is met: when it is looked up,
// inside a transaction, and in the message that carries COMMIT, which was never
// sent then and leaves no commit in doubt.
func TestKeyThatCannotBeSent(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			pool := connect(t, database(t), inMode(mode), size(1))
			exec(t, pool, onceSQL)
			s := session(pool)
			check := func(err error) {
				t.Helper()
				if !errors.Is(err, pawl.ErrBadInput) || errors.Is(err, pawl.ErrCommitUnknown) || pawl.HTTPStatus(err) != http.StatusBadRequest ||
					strings.Contains(err.Error(), "4111") {
					t.Errorf("%v", err)
				}
			}
			do := func(ctx cx, s *pawl.Session, broken, breaks bool) (pawl.Outcome, error) {
				_, outcome, err := pawl.Do(ctx, s, &once, []any{brittle{"4111", &broken}}, nil, func(cx, *pawl.Session) (pawl.Response, error) {
					broken = breaks
					return pawl.Response{Body: []byte("done")}, nil
				})
				return outcome, err
			}
			_, err := do(t.Context(), s, true, true)
			check(err)
			_, err = pawl.InTx(t.Context(), s, func(ctx cx, tx *pawl.Session) (pawl.Outcome, error) { return do(ctx, tx, true, true) })
			check(err)
			_, err = do(t.Context(), s, false, true)
			check(err)
			must(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
				_, err := do(t.Context(), s.WithTx(tx), false, true)
				check(err)
				return nil
			}))
			want(t, "rows", number(t, pool, `SELECT count(*) FROM app.once`), 0)
			outcome, err := do(t.Context(), s, false, false)
			must(t, err)
			want(t, "outcome", outcome, pawl.OutcomeExecuted)
		})
	}
}
