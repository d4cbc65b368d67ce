# Ranges of one group never overlap; another table without a group, one with all doors open.
# explain: table.bookings.no_overlap.one_per_room

pawl {
  project  = "no-overlap-range"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "bookings" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room_id" { type = bigint }
  column "during" { type = tstzrange }
  column "state" {
    type    = text
    default = "held"
  }
  primary_key { columns = [id] }
  no_overlap "one_per_room" {
    within = [room_id]
    range  = during
    where  = "state <> 'cancelled'"
  }
}

table "terms" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "days" { type = daterange }
  primary_key { columns = [id] }
  no_overlap "one_at_a_time" {
    within = []
    range  = days
  }
}

table "blocks" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "owner" { type = text }
  column "numbers" { type = int8range }
  primary_key { columns = [id] }
  no_overlap "one_owner" {
    within         = [owner]
    range          = numbers
    allow_empty    = true
    allow_infinite = true
    prelock        = false
    allow          = { overlap-empty-range = "an empty block owns no number" }
  }
}
