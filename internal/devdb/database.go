package devdb

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// CreateDatabase makes an empty database, a copy of template0.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	return s.admin(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0"+s.copyStrategy())
}

// CloneDatabase makes a database that is a copy of another, which nobody may be
// connected to meanwhile.
func (s *Server) CloneDatabase(ctx context.Context, name, from string) error {
	return s.admin(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE "+pgx.Identifier{from}.Sanitize()+s.copyStrategy())
}

// DropDatabase removes a database, if it exists, and ends its connections.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	return s.admin(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
}

// copyStrategy has PostgreSQL copy a database's files instead of logging every
// page of them, the faster way where the checkpoints it takes cost nothing: on a
// temporary server, which does not sync. Before 15 there was no other way.
func (s *Server) copyStrategy() string {
	if s.place.temporary && s.bin.Major >= 15 {
		return " STRATEGY file_copy"
	}
	return ""
}

// Scratch makes an empty database under a name never used before. drop removes
// it, whoever is still connected.
func (s *Server) Scratch(ctx context.Context) (url string, drop func(context.Context) error, err error) {
	name := "scratch_" + strings.ToLower(rand.Text()[:12])
	if err := s.CreateDatabase(ctx, name); err != nil {
		return "", nil, err
	}
	return s.URL(name), func(ctx context.Context) error { return s.DropDatabase(ctx, name) }, nil
}

// admin runs one statement that cannot be part of a transaction.
func (s *Server) admin(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("private server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("private server: %s: %w", statement, err)
	}
	return nil
}
