package verify

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
)

// simple sends a script in one message.
const simple = pgx.QueryExecModeSimpleProtocol

// Options say what to verify and how. The zero value verifies everything by
// exploration, on a private server.
type Options struct {
	// URL is a scratch server: databases are made on it and dropped. Its role must
	// be a superuser. Empty: a private server is started.
	URL string
	// Addresses are the declarations to verify, and what stands below them. Empty:
	// all.
	Addresses []string
	// Full explores without reductions.
	Full bool
	// Sessions is how many clients meet: 2, or 3, which tries a third that does what
	// the first does. 0: 2.
	Sessions int
	// Stress also lets real clients run at full speed, in rounds.
	Stress bool
	// Crash also cuts connections, kills backends and restarts the server.
	Crash bool
	// Workers is how many databases are used at once. 0: twice the processors, since
	// a check waits more than it computes.
	Workers int
	// Progress is told of each check that is done; nil for nobody. It is called from
	// one goroutine at a time.
	Progress func(Progress)
	// Log receives a line for whatever takes time at the start; nil drops them.
	Log func(string)
}

// Progress is one check that is done.
type Progress struct {
	Done, Total int
	Check       *Check
	Subject     string // the address
}

// Run verifies a program. The error says why it could not be done; what was
// found stands in the report.
func Run(ctx context.Context, p *ir.Program, o Options) (*Report, error) {
	start := time.Now()
	p = p.Standalone()
	x := newIndex(p)
	subjects := chosen(models(x), o.Addresses)
	if len(subjects) == 0 && len(o.Addresses) > 0 {
		return nil, &UnknownError{Address: strings.Join(o.Addresses, ", ")}
	}
	ground, err := openGround(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer ground.close(ctx)
	report := &Report{Project: p.Project, Server: ground.version, Full: o.Full}
	report.Sessions = max(o.Sessions, 2)
	tell := teller(o.Progress, total(subjects, o))
	if err := ground.runAll(ctx, x, subjects, o, tell); err != nil {
		return nil, err
	}
	if err := ground.runPhases(ctx, x, subjects, o, tell); err != nil {
		return nil, err
	}
	for _, s := range subjects {
		report.Subjects = append(report.Subjects, s.report)
	}
	report.Duration = time.Since(start)
	return report, nil
}

// UnknownError is an address or an ID that names nothing to verify.
type UnknownError struct{ Address string }

func (e *UnknownError) Error() string {
	return "nothing to verify is called " + e.Address
}

// chosen keeps the checks that were asked for.
func chosen(subjects []*subject, addresses []string) []*subject {
	if len(addresses) == 0 {
		return subjects
	}
	var list []*subject
	for _, s := range subjects {
		if covers(addresses, s.report.Address) {
			list = append(list, s)
			continue
		}
		some := &subject{report: s.report}
		for _, c := range s.checks {
			if covers(addresses, c.id) {
				some.checks = append(some.checks, c)
			}
		}
		if len(some.checks) > 0 {
			list = append(list, some)
		}
	}
	return list
}

// Replay runs one schedule of a counterexample or check again: by its ID, as a
// report has it.
func Replay(ctx context.Context, p *ir.Program, id string, o Options) (*Counterexample, error) {
	rest, schedule, ok := cutLast(id, ":")
	name, mutation, _ := strings.Cut(rest, "@")
	if !ok {
		return nil, &UnknownError{Address: id}
	}
	x := newIndex(p.Standalone())
	for _, s := range models(x) {
		for _, c := range s.checks {
			if c.id != name {
				continue
			}
			m, ok := c.mutant(mutation)
			if !ok {
				return nil, &UnknownError{Address: id}
			}
			return replay(ctx, x, c, m, id, schedule, o)
		}
	}
	return nil, &UnknownError{Address: id}
}

// cutLast cuts at the last separator: IDs may hold it in a quoted name.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func (c *check) mutant(id string) (*mutant, bool) {
	if id == "" {
		return &mutant{}, true
	}
	for i := range c.mutants {
		m := &c.mutants[i]
		if m.id == id {
			return m, true
		}
		if m.backup != nil && m.backup.id == id {
			return m.backup, true
		}
	}
	return nil, false
}

func replay(ctx context.Context, x *index, c *check, m *mutant, id, schedule string, o Options) (*Counterexample, error) {
	g, err := openGround(ctx, x.program, o)
	if err != nil {
		return nil, err
	}
	defer g.close(ctx)
	s, err := g.site(ctx, x, o)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	sc, err := s.stage(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.change(ctx, m.drop); err != nil {
		return nil, err
	}
	run, err := s.explorer.Replay(ctx, s.scenario(c, sc, m, false), schedule)
	if err != nil {
		return nil, err
	}
	example := c.example(m.id, sc, run)
	example.ID = id
	return &example, nil
}

// runAll explores every check, on several databases at once.
func (g *ground) runAll(ctx context.Context, x *index, subjects []*subject, o Options, tell func(string, *Check)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan job)
	n := 0
	for _, s := range subjects {
		s.report.Checks = make([]Check, len(s.checks))
		n += len(s.checks)
	}
	var wait sync.WaitGroup
	for range min(max(o.workers(), 1), n) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if err := g.work(ctx, x, o, jobs, tell); err != nil {
				cancel(err)
			}
		}()
	}
	feed(ctx, jobs, subjects)
	wait.Wait()
	return context.Cause(ctx)
}

// total is how many checks will be run, those of the phases included.
func total(subjects []*subject, o Options) int {
	n := 0
	for _, s := range subjects {
		n += len(s.checks)
	}
	for _, list := range phases(subjects) {
		if o.Stress {
			n++
		}
		for _, c := range list {
			if o.Crash && c.about() != (ir.TableRef{}) {
				n++
			}
		}
	}
	return n
}

// runPhases adds what stress and crashes show, where they were asked for.
func (g *ground) runPhases(ctx context.Context, x *index, subjects []*subject, o Options, tell func(string, *Check)) error {
	chosen := phases(subjects)
	for _, s := range subjects {
		if !o.Stress || len(chosen[s]) == 0 {
			continue
		}
		found, err := g.onSite(ctx, x, o, func(st *site, url string) (*Check, error) { return st.stress(ctx, url, chosen[s][0]) })
		if err != nil {
			return err
		}
		s.report.Checks = append(s.report.Checks, *found)
		tell(s.report.Address, found)
	}
	if !o.Crash {
		return nil
	}
	var checks []*check
	var owners []*subject
	for _, s := range subjects {
		for _, c := range chosen[s] {
			if c.about() != (ir.TableRef{}) {
				checks, owners = append(checks, c), append(owners, s)
			}
		}
	}
	found, err := g.crash(ctx, x, checks, o)
	if err != nil {
		return err
	}
	for i := range found {
		owners[i].report.Checks = append(owners[i].report.Checks, found[i])
		tell(owners[i].report.Address, &found[i])
		late, err := g.onSite(ctx, x, o, func(s *site, url string) (*Check, error) { return s.orphaned(ctx, url, checks[i]) })
		if err != nil {
			return err
		}
		if late != nil {
			owners[i].report.Checks = append(owners[i].report.Checks, *late)
		}
	}
	return nil
}

// onSite runs a phase on a database of its own.
func (g *ground) onSite(ctx context.Context, x *index, o Options, run func(s *site, url string) (*Check, error)) (*Check, error) {
	s, url, err := g.siteAt(ctx, x, o)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	return run(s, url)
}

// job is one check and where its result goes.
type job struct {
	subject *subject
	place   int
}

func feed(ctx context.Context, jobs chan<- job, subjects []*subject) {
	defer close(jobs)
	for _, s := range subjects {
		for i := range s.checks {
			select {
			case jobs <- job{s, i}:
			case <-ctx.Done():
				return
			}
		}
	}
}

// work takes jobs until there are no more.
func (g *ground) work(ctx context.Context, x *index, o Options, jobs <-chan job, tell func(string, *Check)) error {
	s, err := g.site(ctx, x, o)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	for j := range jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		found, err := s.explore(ctx, j.subject.checks[j.place])
		if err != nil {
			return err
		}
		j.subject.report.Checks[j.place] = found
		tell(j.subject.report.Address, &found)
	}
	return nil
}

func teller(progress func(Progress), total int) func(string, *Check) {
	var mu sync.Mutex
	done := 0
	return func(subject string, c *Check) {
		mu.Lock()
		defer mu.Unlock()
		done++
		if progress != nil {
			progress(Progress{Done: done, Total: total, Check: c, Subject: subject})
		}
	}
}

// workers is how many databases are used at once.
func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return 2 * runtime.NumCPU()
}
