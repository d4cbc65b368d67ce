# Over a column that may be NULL: told apart, and with PostgreSQL 15 not.
# explain: table.parts.no_duplicates.serial_no
# explain: table.parts.no_duplicates.slot

pawl {
  project  = "no-duplicates-nullable"
  postgres = 15
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "parts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "serial_no" {
    type = text
    null = true
  }
  column "machine_id" { type = bigint }
  column "slot" {
    type = integer
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "serial_no" {
    columns = [serial_no]
    nulls   = "distinct"
  }
  no_duplicates "slot" {
    columns = [machine_id, slot]
    nulls   = "not_distinct"
  }
}
