# Over what an expression makes of a row.
# explain: table.users.no_duplicates.email

pawl {
  project  = "no-duplicates-expression"
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
  primary_key { columns = [id] }
  no_duplicates "email" { columns = [tenant_id, sql("lower(email)")] }
}
