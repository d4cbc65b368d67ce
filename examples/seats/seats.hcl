# Rooms, bookings, seats, a counter and background work: one declaration for
# each kind of race that a booking service meets.
pawl {
  project        = "seats"
  postgres       = 14
  schema         = "app"
  advisory_class = 4201
}

generate "go" {
  out        = "store"
  package    = "store"
  race_tests = true # store/*_race_test.go
}

generate "sql" { out = "schema.sql" }

variable "lease" {
  type        = string
  default     = "5s" # short, so that the program shows a dead worker's task being done by another
  description = "How long a worker may hold a task before another may take it."
}

enum "booking_status" { values = ["held", "confirmed", "cancelled"] }
enum "seat_status" { values = ["free", "booked"] }

table "customers" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "email" { type = text }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  live = "deleted_at IS NULL"

  # Among live accounts an address belongs to one, however it is typed.
  no_duplicates "one_live_account" {
    columns = [sql("lower(email)")]
  }
}

table "rooms" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  column "price" {
    type    = numeric(12, 2)
    default = 0
  }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
  check "price_not_negative" { expr = "price >= 0" }

  # price is no key: bookings of the room go on while it changes.
  edit "reprice" { columns = [price] }
  # name is one: the stronger lock is the price of renaming.
  edit "rename" { columns = [name] }
}

table "bookings" {
  comment = "One row a booking."

  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room_id" { type = bigint }
  column "customer_id" { type = bigint }
  column "during" { type = tstzrange }
  column "status" {
    type    = enum.booking_status
    default = "held"
  }
  column "created_at" {
    type    = timestamptz
    default = sql("now()")
  }
  primary_key { columns = [id] }
  foreign_key "room" {
    allow = { foreign-key-index = "rooms are never deleted; the overlap index serves the joins" }

    columns    = [room_id]
    references = table.rooms
  }
  foreign_key "customer" {
    columns    = [customer_id]
    references = table.customers
    on_delete  = "restrict"
  }
  index "by_customer" { columns = [customer_id, created_at] }

  # A room is booked once at a time; what is cancelled does not count.
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
      guard = "upper(during) > now()"
    }
    move "cancel" {
      from = ["held", "confirmed"]
      to   = "cancelled"
    }
  }
}

table "seats" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "label" { type = text }
  column "status" {
    type    = enum.seat_status
    default = "free"
  }
  column "customer_id" {
    type = bigint
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "label" { columns = [label] }
  foreign_key "customer" {
    columns    = [customer_id]
    references = table.customers
  }
  index "by_customer" { columns = [customer_id] }

  transitions "status" {
    column  = status
    initial = ["free"]
    repeat  = "reject" # booking a booked seat is an error, even for its owner
    move "book" {
      from = ["free"]
      to   = "booked"
      args = { customer_id = bigint }
      set  = { customer_id = "@customer_id" }
    }
    move "release" {
      from = ["booked"]
      to   = "free"
      set  = { customer_id = "NULL" }
    }
  }
}

table "counters" {
  column "name" { type = text }
  column "sent" {
    type    = bigint
    default = 0
  }
  column "remaining" { type = bigint }
  primary_key { columns = [name] }
  check "remaining_not_negative" { expr = "remaining >= 0" }

  # The guard is the check with the new value put in: remaining - n >= 0.
  adjust "send" {
    args = { n = bigint }
    set = {
      sent      = "sent + @n"
      remaining = "remaining - @n"
    }
  }
}

table "teams" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
}

table "shifts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "team_id" { type = bigint }
  column "doctor" { type = text }
  column "on_call" { type = boolean }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
  }
  index "by_team" { columns = [team_id, on_call] }
}

# A team that has shifts has somebody on call at every COMMIT. It has no parent: a
# team may be created before its first shift.
rule "someone_on_call" {
  on    = { shifts = [team_id, on_call] }
  args  = { team_id = bigint }
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call"
  operation "go_off_call" {
    args = { id = bigint }
    run  = "UPDATE shifts SET on_call = false WHERE id = @id AND team_id = @team_id"
  }
}

queue "tasks" {
  column "kind" { type = text }
  column "body" { type = jsonb }
  lease    = var.lease
  attempts = 10
  backoff {
    base   = "1s"
    max    = "10m"
    jitter = "full"
  }
}

singleton "outbox_relay" {
  key   = 1
  scope = "transaction"
}

singleton "scheduler" {
  key   = 2
  scope = "leader"
  lease = "15s"
}

transaction "default" {
  isolation    = "read committed"
  lock_timeout = "1s"
  retry {
    attempts = 5
    base     = "10ms"
    max      = "1s"
  }
}
