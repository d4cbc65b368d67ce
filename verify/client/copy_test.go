package client_test

import (
	"os"
	"testing"

	"github.com/pawldb/pawl/verify/client"
)

// COPY takes any text as it is, and what a constraint says of it is an answer.
func TestCopy(t *testing.T) {
	program := compileFS(t, os.DirFS("../../testdata/cases/no-duplicates-full"))
	conn := connect(t, database(t, program))
	performer := client.New(program)
	call := client.Call{
		Operation: operation(t, program, "table.users.insert_many"),
		Args:      args("tenant_id", "7", "number", "1", "email", "a\tb\\n\n@x"),
	}
	for _, want := range []client.Answer{client.OK, client.Violation} {
		out, err := performer.Do(t.Context(), conn, call)
		if err != nil || out.Answer != want {
			t.Fatalf("%+v, %v; want %s", out, err, want)
		}
	}
	var email string
	if err := conn.QueryRow(t.Context(), "SELECT email FROM app.users WHERE tenant_id = 7").Scan(&email); err != nil || email != "a\tb\\n\n@x" {
		t.Errorf("%q, %v", email, err)
	}
}
