# Among some rows only, by where and by live.
# explain: table.carts.no_duplicates.one_open
# explain: table.members.no_duplicates.one_live

pawl {
  project  = "no-duplicates-partial"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "carts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "customer_id" { type = bigint }
  column "state" {
    type    = text
    default = "open"
  }
  primary_key { columns = [id] }
  no_duplicates "one_open" {
    columns = [customer_id]
    where   = "state = 'open'"
  }
}

table "members" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  live = "deleted_at IS NULL"

  no_duplicates "one_live" { columns = [name] }
}
