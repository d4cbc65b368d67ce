# An edit of a column that stands in a key: the stronger lock; with and without waiting.
# explain: table.rooms.edit.rename
# explain: table.rooms.edit.rename_now

pawl {
  project  = "edit-key"
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
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }

  edit "rename" {
    columns = [name]
    wait    = "250ms"
  }
  edit "rename_now" {
    columns = [name]
    wait    = "nowait"
  }
}
