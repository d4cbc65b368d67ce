package fault

import (
	"fmt"
	"strings"

	"github.com/pawldb/pawl/verify/explore"
)

// Once compares how often a client's operation took effect with what the client
// was told: exactly once when it or its recovery was told "ok", at most once when
// nobody knows, never when it was refused.
func Once(r *Round, client, effects int) []explore.Violation {
	least, most := r.Effects(client)
	return between(effects, least, most, fmt.Sprintf("client %d", client), r.story(client))
}

// OnceInTotal is Once for effects that cannot be told apart, such as the sum in a
// counter: there must be as many as operations were told "ok", and at most one
// more for each of which nobody knows.
func OnceInTotal(r *Round, effects int) []explore.Violation {
	least, most := 0, 0
	var stories []string
	for client := range r.Ends {
		l, m := r.Effects(client)
		least, most = least+l, most+m
		stories = append(stories, r.story(client))
	}
	return between(effects, least, most, "the clients together", strings.Join(stories, "; "))
}

func between(effects, least, most int, who, story string) []explore.Violation {
	if effects >= least && effects <= most {
		return nil
	}
	allowed := fmt.Sprint(least)
	if most > least {
		allowed = fmt.Sprintf("%d to %d", least, most)
	}
	return []explore.Violation{{
		Rule:    fmt.Sprintf("what %s did took effect %d times, but after what was answered it must be %s", who, effects, allowed),
		Columns: []string{"answers"},
		Rows:    [][]string{{story}},
	}}
}

// story tells what a client was told, in order.
func (r *Round) story(client int) string {
	text := fmt.Sprintf("client %d: %s", client, r.Ends[client].answer())
	if client < len(r.Recoveries) && r.Recoveries[client] != nil {
		text += ", then its recovery: " + r.Recoveries[client].answer()
	}
	return text
}

func (e Ending) answer() string {
	if e.Err == nil {
		return string(e.Outcome)
	}
	return fmt.Sprintf("%s (%v)", e.Outcome, e.Err)
}
