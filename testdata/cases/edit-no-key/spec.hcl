# An edit of columns that no key holds: the weaker lock.
# explain: table.rooms.edit.reprice

pawl {
  project  = "edit-no-key"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "rooms" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  column "price" { type = numeric(12, 2) }
  column "note" {
    type = text
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
  check "price_not_negative" { expr = "price >= 0" }

  edit "reprice" { columns = [price, note] }
}
