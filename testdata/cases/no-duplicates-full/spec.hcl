# No two rows with one value, and one over two columns.
# explain: table.users.no_duplicates.email

pawl {
  project  = "no-duplicates-full"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "users" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "tenant_id" { type = bigint }
  column "email" { type = text }
  column "number" { type = integer }
  primary_key { columns = [id] }
  no_duplicates "email" {
    columns = [email]
    allow   = { case-sensitive-email = "addresses are stored in lower case" }
  }
  no_duplicates "number_per_tenant" { columns = [tenant_id, number] }
}
