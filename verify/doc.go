// Package verify shows that a program's guarantees hold under concurrency, and
// that each of its guards is needed.
//
// For every declaration it makes up rows that bring operations into conflict,
// runs the compiled operations on them in every interleaving that a few clients
// can have (package explore), and asks after every COMMIT whether the rule still
// stands. Then it takes the guards away one by one, the constraint, the lock,
// the condition, and demands that the same check now finds a violation: a check
// that cannot fail shows nothing.
package verify
