# Bounds over the rows of a group: a count on the parent row, a sum in a table of
# counters.
# explain: table.bookings.limit.places
# explain: table.parcels.limit.load

pawl {
  project  = "limit"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "events" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "capacity" { type = integer }
  primary_key { columns = [id] }
  adjust "shrink" {
    args = { by = integer }
    set  = { capacity = "capacity - @by" }
  }
}

table "bookings" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "event_id" { type = bigint }
  column "cancelled" {
    type    = boolean
    default = false
  }
  primary_key { columns = [id] }
  foreign_key "event" {
    columns    = [event_id]
    references = table.events
    on_delete  = "cascade"
  }
  index "by_event" { columns = [event_id] }
  limit "places" {
    per   = [event_id]
    max   = table.events.column.capacity
    where = "NOT cancelled"
  }
}

table "parcels" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "van" { type = text }
  column "weight" { type = numeric(8, 1) }
  primary_key { columns = [id] }
  limit "load" {
    per = [van]
    sum = weight
    max = 800
  }
}
