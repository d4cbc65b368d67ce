package explore

// Conn is what a client's code sees: a connection whose statements wait for the
// explorer's grant. It has the methods Begin, BeginTx, Exec, Query, QueryRow,
// SendBatch and CopyFrom of *pgx.Conn, so that code written for a pool or a
// connection takes it. A batch is one step.
//
// It shows no Conn and no Acquire: code that looked through it would run past
// the gate. A transaction it begins is a pgx.Tx of which the same is true.
type Conn struct{}
