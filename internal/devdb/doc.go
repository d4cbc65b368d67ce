// Package devdb runs private PostgreSQL servers: a temporary one for a test, a
// demo or a proof, and a persistent one for `pawl --dev`.
//
// A private server listens on a unix socket in a folder only its owner may
// enter, opens no TCP port unless asked, and never outlives the processes that
// use it, however those end:
//
//	srv, err := devdb.Start(ctx, devdb.Options{})       // temporary
//	if err != nil { ... }
//	defer srv.Stop(context.Background())
//	conn, err := pgx.Connect(ctx, srv.URL("postgres"))
//
// # How it starts
//
// [Find] looks for the newest installed PostgreSQL; where there is none and the
// user is not root, the embedded-postgres project's build is fetched once. A
// fresh data folder is a copy of a cached, already initialised one, so that only
// the very first start of a PostgreSQL build pays for initdb. PostgreSQL refuses
// to run as root; for root, the server and its files belong to the account
// "postgres", else "nobody".
//
// # How it ends
//
// Every process that uses a server holds the write end of one named pipe open
// (see watch.go). A small shell process reads that pipe. Its read ends when the
// last user has gone, and the kernel sees to that after a panic, a Ctrl-C and a
// kill -9 alike: then the shell stops the server and removes the temporary
// folder. Should even that shell be killed, the next Start finds the folder
// unlocked and cleans up. The server runs in a session of its own, so that a
// Ctrl-C in the terminal reaches the command and not the server behind its back.
//
// # Sharing a persistent server
//
// Commands that name the same folder share one server: the first starts it, the
// others join, the last one out stops it. File locks arrange that (see lock.go).
//
// The package works on systems with unix sockets, FIFOs and flock: Linux, macOS
// and the BSDs.
package devdb
