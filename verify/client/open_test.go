package client_test

import (
	"context"
	"io/fs"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/codegen/postgres"
	"github.com/pawldb/pawl/compiler"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/dsl"
	"github.com/pawldb/pawl/internal/devdb/pgtest"
)

// compile compiles the specification in a folder of the project.
func compile(t *testing.T, folder string) *ir.Program {
	t.Helper()
	return compileFS(t, os.DirFS("../../"+folder))
}

func compileFS(t *testing.T, files fs.FS) *ir.Program {
	t.Helper()
	spec, findings := dsl.Load(files, dsl.Options{})
	program, more := compiler.Compile(spec)
	findings.Extend(more)
	if findings.HasErrors() || program == nil {
		t.Fatalf("the specification does not compile: %v", findings)
	}
	return program
}

// database gives a new database with the program's schema.
func database(t *testing.T, p *ir.Program, extensions ...string) (url string) {
	t.Helper()
	url = pgtest.URL(t)
	conn := connect(t, url)
	for _, extension := range extensions {
		execute(t, conn, "CREATE EXTENSION "+extension)
	}
	if _, err := conn.Exec(t.Context(), postgres.Schema(p.Standalone()), pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	return url
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		_ = conn.Close(t.Context())
	})
	return conn
}

// operation finds an operation by its address.
func operation(t *testing.T, p *ir.Program, address string) *ir.Operation {
	t.Helper()
	for _, o := range operations(p) {
		if o.Address == address {
			return o
		}
	}
	t.Fatalf("there is no operation %s", address)
	return nil
}

// operations lists all operations of a program.
func operations(p *ir.Program) []*ir.Operation {
	var list []*ir.Operation
	for i := range p.Repositories {
		for j := range p.Repositories[i].Operations {
			list = append(list, &p.Repositories[i].Operations[j])
		}
	}
	for i := range p.Singletons {
		for j := range p.Singletons[i].Operations {
			list = append(list, &p.Singletons[i].Operations[j])
		}
	}
	return list
}

// args makes a call's arguments of names and values.
func args(pairs ...string) map[string]*string {
	m := map[string]*string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = &pairs[i+1]
	}
	return m
}

// execute runs a script on a connection.
func execute(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// nothing is a singleton's work that does none.
func nothing(context.Context, pgx.Tx) error { return nil }
