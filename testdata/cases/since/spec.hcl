# Rules for new rows, over tables whose old rows break them.
# explain: table.users.no_duplicates.email
# explain: table.stays.no_overlap.one_per_room
# explain: table.bookings.limit.places
# explain: table.users.at_most_one.head
# explain: table.stays.transitions.status
# explain: table.users.check.name_given

pawl {
  project  = "since"
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
  live = "deleted_at IS NULL"
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "team" { type = text }
  column "name" { type = text }
  column "email" { type = text }
  column "is_head" {
    type    = boolean
    default = false
  }
  column "created_at" {
    type      = timestamptz
    default   = sql("now()")
    immutable = true
  }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  check "name_given" {
    expr  = "name <> ''"
    since = "created_at >= '2026-01-01'"
  }
  no_duplicates "email" {
    columns = [sql("lower(email)")]
    since   = "created_at >= '2026-01-01'"
  }
  at_most_one "head" {
    per   = [team]
    where = "is_head AND deleted_at IS NULL"
    since = "created_at >= '2026-01-01'"
  }
  upsert "sync" {
    key    = no_duplicates.email
    mode   = "converge"
    update = [name]
  }
}

table "stays" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room" { type = text }
  column "during" { type = tstzrange }
  column "created_on" {
    type      = date
    immutable = true
  }
  column "status" {
    type    = text
    default = "held"
  }
  primary_key { columns = [id] }
  no_overlap "one_per_room" {
    within = [room]
    range  = during
    where  = "status <> 'cancelled'"
    since  = "created_on >= '2026-01-01'"
  }
  transitions "status" {
    column  = status
    initial = ["held"]
    final   = ["cancelled"]
    since   = "created_on >= '2026-01-01'"
    move "confirm" {
      from = ["held"]
      to   = "confirmed"
    }
    move "cancel" {
      from = ["held", "confirmed"]
      to   = "cancelled"
    }
  }
}

table "events" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "capacity" { type = integer }
  primary_key { columns = [id] }
}

table "bookings" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "event_id" { type = bigint }
  column "created_at" {
    type      = timestamptz
    default   = sql("now()")
    immutable = true
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
    since = "created_at >= '2026-01-01 12:00+02'"
  }
}
