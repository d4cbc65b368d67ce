# Columns that keep the value that a row was stored with.
# explain: table.bookings.immutable
# explain: table.bookings.column.created_at

pawl {
  project  = "immutable"
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
  primary_key { columns = [id] }
}

table "bookings" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room_id" {
    type      = bigint
    immutable = true
  }
  column "created_at" {
    type      = timestamptz
    default   = sql("now()")
    immutable = true
  }
  column "origin" {
    type      = point # which has no "=": compared by its text
    null      = true
    immutable = true
  }
  column "note" { type = text }
  primary_key { columns = [id] }
  foreign_key "room" {
    columns    = [room_id]
    references = table.rooms
    on_delete  = "cascade" # a row that goes whole changes nothing
  }
  index "by_room" { columns = [room_id] }
  edit "annotate" { columns = [note] }
}
