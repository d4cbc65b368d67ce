//go:build unix

package pawl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pawldb/pawl/pawl"
)

// contenderVariable is set in a process that is no test but a contender.
const contenderVariable = "PAWL_TEST_CONTENDER"

func TestMain(m *testing.M) {
	if config := os.Getenv(contenderVariable); config != "" {
		if err := contend(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// contender is a process that wants to lead. It does not look at the end of its term:
// what keeps it from writing beside the next leader is the guard alone.
type contender struct {
	Name, URL string
	Session   bool          // the form of the leader
	Lease     time.Duration // of a leader with a lease
	Idle      time.Duration // idle_timeout of its transactions; 0 for none
	// Clock is how fast its clock runs: of one at 0.1 an hour takes ten.
	Clock float64
	// Unguarded leaves Term.Guard without its statement.
	Unguarded bool
}

// leader is what the contender leads, with the durations that its clock makes of it:
// what it measures is wrong, and what it sends is what was meant.
func (c *contender) leader() pawl.Leader {
	l := scheduler
	if c.Session {
		l = consumer
	}
	l.Lease = time.Duration(float64(c.Lease) / c.Clock)
	meant := fmt.Sprintf("$2::bigint * %g * interval", c.Clock)
	for _, op := range []*pawl.Operation{&l.CampaignOp, &l.RenewOp} {
		op.SQL = strings.ReplaceAll(op.SQL, "$2::bigint * interval", meant)
	}
	if c.Unguarded {
		l.GuardOp.SQL = "SELECT $1::bigint"
	}
	return l
}

// contend leads again and again until its standard input ends, which it does when the
// test is gone.
func contend(config string) error {
	var c contender
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	parsed, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return err
	}
	parsed.MaxConns, parsed.ConnConfig.RuntimeParams["application_name"] = 3, c.Name
	pool, err := pgxpool.NewWithConfig(ctx, parsed)
	if err != nil {
		return err
	}
	defer pool.Close()
	s := session(pool, pawl.WithIdleTimeout(c.Idle))
	l := c.leader()
	for ctx.Err() == nil {
		err := pawl.Lead(ctx, s, &l, func(_ cx, term pawl.Term) error { return c.reign(ctx, s, term) },
			pawl.LeadAs(c.Name), pawl.LeadPoll(c.Lease/4), quiet())
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, pawl.ErrTermLost) {
			return err
		}
	}
	return nil
}

// reign writes guarded sections until the guard refuses one, or until it has had
// enough.
func (c *contender) reign(ctx context.Context, s *pawl.Session, term pawl.Term) error {
	for ctx.Err() == nil {
		if rand.N(50) == 0 {
			return nil // it resigns
		}
		// Whatever else goes wrong, a connection that was cut for one, it goes on.
		if err := c.section(ctx, s, term); errors.Is(err, pawl.ErrTermLost) {
			return err
		}
		time.Sleep(rand.N(4 * time.Millisecond))
	}
	return nil
}

// section is one guarded transaction: it notes when it has begun, and a trigger notes
// when it commits.
func (c *contender) section(ctx context.Context, s *pawl.Session, term pawl.Term) error {
	_, err := pawl.InTx(ctx, s, func(ctx cx, tx *pawl.Session) (int, error) {
		if err := term.Guard(ctx, tx); err != nil {
			return 0, err
		}
		if _, err := tx.DB().Exec(ctx, "INSERT INTO app.sections (term, holder) VALUES ($1, $2)", term.Number(), c.Name); err != nil {
			return 0, err
		}
		time.Sleep(rand.N(8 * time.Millisecond))
		return 0, nil
	})
	return err
}
