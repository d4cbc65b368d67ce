package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/internal/pgsql"
)

// providers are extensions by the things in them that are not called as they are.
var providers = map[string]string{
	"crypt": "pgcrypto", "digest": "pgcrypto", "gen_random_bytes": "pgcrypto", "gen_salt": "pgcrypto", "hmac": "pgcrypto",
	"earth": "earthdistance", "ll_to_earth": "earthdistance",
	"ean13": "isn", "isbn": "isn", "isbn13": "isn", "ismn": "isn", "ismn13": "isn", "issn": "isn", "issn13": "isn", "upc": "isn",
	"geography": "postgis", "geometry": "postgis",
	"gin_hstore_ops": "hstore", "gist_hstore_ops": "hstore",
	"gin_trgm_ops": "pg_trgm", "gist_trgm_ops": "pg_trgm", "similarity": "pg_trgm",
	"gin__int_ops": "intarray", "gist__int_ops": "intarray", "gist__intbig_ops": "intarray", "query_int": "intarray",
	"gist_ltree_ops": "ltree", "lquery": "ltree", "ltxtquery": "ltree", "nlevel": "ltree", "subpath": "ltree",
	"halfvec": "vector", "sparsevec": "vector", "vector_cosine_ops": "vector", "vector_ip_ops": "vector", "vector_l2_ops": "vector",
	"levenshtein": "fuzzystrmatch", "metaphone": "fuzzystrmatch", "soundex": "fuzzystrmatch",
	"uuid_generate_v1": "uuid-ossp", "uuid_generate_v4": "uuid-ossp", "uuid_generate_v5": "uuid-ossp",
}

// extend makes the extensions that a specification takes for granted: those of the
// types, operator classes and functions that its tables name and the database does
// not have. What no extension of the server provides is left for the server to
// complain of, which names it. It returns where they are, so that
// names are looked up there too.
func extend(ctx context.Context, conn *pgx.Conn, s *ir.Schema) (homes []string, err error) {
	for _, thing := range presupposed(s) {
		extension := ir.Extension{Name: thing.name, Schema: thing.schema}
		if provider, ok := providers[thing.name]; ok {
			extension.Name = provider
		}
		if extension.Schema == "" {
			extension.Schema = "public"
		}
		var missing bool
		err = conn.QueryRow(ctx, `SELECT
  NOT EXISTS (SELECT FROM pg_type WHERE typname = $1) AND NOT EXISTS (SELECT FROM pg_opclass WHERE opcname = $1) AND NOT EXISTS (SELECT FROM pg_proc WHERE proname = $1)
  AND EXISTS (SELECT FROM pg_available_extensions WHERE name = $2 AND installed_version IS NULL)`, thing.name, extension.Name).Scan(&missing)
		if err != nil {
			return nil, fmt.Errorf("look for %s in the scratch database: %w", thing.name, err)
		}
		if !missing {
			continue
		}
		home := ir.Ident(extension.Schema)
		if _, err := conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+home+"; CREATE EXTENSION "+ir.Ident(extension.Name)+" SCHEMA "+home+" CASCADE", simple); err != nil {
			return nil, fmt.Errorf("make the extension of %s in the scratch database: %w", thing.name, err)
		}
		if !slices.Contains(homes, extension.Schema) {
			homes = append(homes, extension.Schema)
		}
	}
	return homes, nil
}

// named is something of the database's that a schema takes for granted.
type named struct{ schema, name string }

// presupposed lists what a schema names and does not declare, each once.
func presupposed(s *ir.Schema) []named {
	var list []named
	add := func(n named) {
		if n.name != "" && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	typ := func(t ir.Type) {
		for t.Elem != nil {
			t = *t.Elem
		}
		if t.Kind == ir.OtherType || t.Kind == ir.BaseType {
			add(typeName(t.Name))
		}
	}
	for _, d := range s.Domains {
		typ(d.Type)
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		var expressions []string
		for _, c := range t.Columns {
			typ(c.Type)
			expressions = append(expressions, c.Default, c.Generated)
		}
		for _, k := range t.Checks {
			expressions = append(expressions, k.Expr)
		}
		for _, index := range t.Indexes {
			expressions = append(expressions, index.Where)
			for _, part := range index.Parts {
				add(typeName(part.OpClass))
				expressions = append(expressions, part.Expr)
			}
		}
		for _, text := range expressions {
			for _, name := range functionsOf(text) {
				add(typeName(name))
			}
		}
	}
	return list
}

// typeName takes a name as a specification spells it apart: public.vector(3)[].
func typeName(text string) named {
	text, _, _ = strings.Cut(text, "(")
	text = strings.TrimRight(text, "[] ")
	schema, name, qualified := strings.Cut(text, ".")
	if !qualified {
		schema, name = "", text
	}
	return named{strings.Trim(schema, `"`), strings.Trim(name, `"`)}
}

// functionsOf are the functions of an expression that PostgreSQL does not bring
// along.
func functionsOf(text string) []string {
	if text == "" {
		return nil
	}
	e, err := pgsql.ParseExpr(text, pgsql.Options{})
	if err != nil {
		return nil // the server says why
	}
	var names []string
	for _, cause := range e.Causes() {
		if name, call := strings.CutSuffix(cause.What, "()"); call && cause.Volatility == pgsql.Unknown {
			names = append(names, name)
		}
	}
	return names
}
