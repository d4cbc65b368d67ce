# One operation of each kind, for what a user writes over them.
pawl {
  project        = "bookings"
  postgres       = 14
  schema         = "app"
  advisory_class = 77
}

generate "go" {
  out     = "store"
  package = "store"
}

enum "booking_status" { values = ["held", "confirmed", "cancelled"] }

table "bookings" {
  comment = "One row a booking."
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room_id" { type = bigint }
  column "during" {
    type    = tstzrange
    comment = "When the room is taken."
  }
  column "status" {
    type    = enum.booking_status
    default = "held"
  }
  column "note" {
    type = text
    null = true
  }
  column "reference" {
    type = uuid
    go {
      name = "Ref"
      type = "github.com/jackc/pgx/v5/pgtype.UUID"
    }
  }
  primary_key { columns = [id] }
  no_duplicates "reference" { columns = [reference] }
  index "by_room" { columns = [room_id, id] }

  no_overlap "one_per_room" {
    within = [room_id]
    range  = during
    where  = "status <> 'cancelled'"
  }
  transitions "status" {
    column  = status
    initial = ["held"]
    final   = ["cancelled"]
    move "confirm" {
      from  = ["held"]
      to    = "confirmed"
      args  = { note = text }
      guard = "upper(during) > now()"
      set   = { note = "@note" }
    }
    move "cancel" {
      from = ["held", "confirmed"]
      to   = "cancelled"
    }
  }
  edit "annotate" {
    columns = [note]
    wait    = "50ms"
  }
}

table "counters" {
  column "name" { type = text }
  column "remaining" { type = bigint }
  primary_key { columns = [name] }
  check "remaining_not_negative" { expr = "remaining >= 0" }
  adjust "send" {
    args = { n = bigint }
    set  = { remaining = "remaining - @n" }
  }
}

queue "tasks" {
  lease = "5m"
  column "kind" { type = text }
  column "body" {
    type    = jsonb
    default = sql("'{}'::jsonb")
  }
}

singleton "outbox_relay" {
  key   = 1
  scope = "transaction"
}
