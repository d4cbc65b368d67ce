package compiler

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// queueWords are what a queue and what is in it are called. Texts that hold for
// all of them have {queue}, {task}, {worker} and so on in their place.
type queueWords struct{ queue, task, worker, run, do string }

var (
	taskWords  = queueWords{"queue", "task", "worker", "run", "do"}
	eventWords = queueWords{"outbox", "event", "relay", "leave", "publish"}
)

// say puts the words of the queue into a text. The texts are our own: a name is
// added to what comes out.
func (q *queue) say(text string) string {
	w := q.words
	return strings.NewReplacer(
		"a {task}", withArticle(w.task), "A {task}", capital(withArticle(w.task)), "a {queue}", withArticle(w.queue),
		"{queue}", w.queue, "{task}", w.task, "{Task}", capital(w.task), "{worker}", w.worker, "{run}", w.run, "{do}", w.do,
	).Replace(text)
}

// reasons puts the words of the queue into reasons.
func (q *queue) reasons(list ...ir.Reason) []ir.Reason {
	for i := range list {
		list[i].Choice, list[i].Why = q.say(list[i].Choice), q.say(list[i].Why)
	}
	return list
}
