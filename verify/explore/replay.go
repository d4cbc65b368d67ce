package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Replay runs one schedule. Where id names a client that cannot go, or is over
// too early, the run says so in Deviation and goes on with whoever can.
func (x *Explorer) Replay(ctx context.Context, s Scenario, id string) (*Run, error) {
	order, err := parseID(id, len(s.Clients))
	if err != nil {
		return nil, fmt.Errorf("explore: replay %s: %w", s.Name, err)
	}
	if err := x.begin(ctx, &s); err != nil {
		return nil, err
	}
	x.firstRows = s.FirstRows
	run, err := x.follow(ctx, &s, order)
	if len(s.Gates) > 0 && !s.FirstRows && (errors.Is(err, errManyRows) || err == nil && run.Deviation != "") {
		// It may be a schedule of a search that stopped first rows too.
		first := run
		x.firstRows = true
		run, err = x.follow(ctx, &s, order)
		if err == nil && run.Deviation != "" && first != nil {
			run = first
		}
	}
	if err = x.rest(ctx, err); err != nil {
		return nil, fmt.Errorf("explore: replay %s: %w", s.Name, err)
	}
	return run, nil
}

// parseID reads the name of a schedule.
func parseID(id string, clients int) ([]int, error) {
	if id == "" {
		return nil, nil
	}
	var order []int
	for name := range strings.SplitSeq(id, ".") {
		client, err := strconv.Atoi(name)
		if err != nil || client < 0 || client >= clients {
			return nil, fmt.Errorf("%q in the schedule %q is no client: write the numbers 0 to %d with dots between them", name, id, clients-1)
		}
		order = append(order, client)
	}
	return order, nil
}

func (x *Explorer) follow(ctx context.Context, s *Scenario, order []int) (*Run, error) {
	f := &follower{order: order}
	run, _, err := x.execute(ctx, s, f)
	if err != nil {
		return nil, err
	}
	if f.deviation == "" && f.at < len(order) {
		f.deviation = fmt.Sprintf("the schedule was over after %d of %d steps", f.at, len(order))
	}
	run.Deviation = f.deviation
	return run, nil
}

// follower decides as a schedule's name says.
type follower struct {
	order     []int
	at        int
	deviation string // the first one
}

func (f *follower) decide(enabled []choice, _ bool) (client int, v verdict) {
	defer func() { f.at++ }()
	if f.at >= len(f.order) {
		f.deviate("the schedule names %d steps, and there were more", len(f.order))
		return enabled[0].client, proceed
	}
	client = f.order[f.at]
	if slices.ContainsFunc(enabled, func(c choice) bool { return c.client == client }) {
		return client, proceed
	}
	f.deviate("step %d: client %d cannot go", f.at+1, client)
	return enabled[0].client, proceed
}

func (f *follower) took([]Step) {}

func (f *follower) deviate(format string, args ...any) {
	if f.deviation == "" {
		f.deviation = fmt.Sprintf(format, args...)
	}
}
