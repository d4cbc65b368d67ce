// Package isolation shows how PostgreSQL behaves where transactions meet, one
// scenario a file, and fails when a server behaves otherwise.
//
// The scenarios of testdata are those that the literature on isolation and
// PostgreSQL's own tests know (the README names the sources), with some of our
// own where a guarantee of pawl rests on a detail: that a waiting UPDATE asks its
// condition again, that FOR NO KEY UPDATE lets children in, that an exclusion
// constraint makes the second insert wait. Package explore runs them on a real
// server, in the order that the file gives or in every order.
//
// It holds tests alone.
package isolation
