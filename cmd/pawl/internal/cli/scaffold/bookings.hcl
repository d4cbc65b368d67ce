# An example to replace: a room is booked once at a time, and a booking is held
# first, then confirmed or cancelled.
enum "booking_status" { values = ["held", "confirmed", "cancelled"] }

table "rooms" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
}

table "bookings" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room_id" { type = bigint }
  column "during" { type = tstzrange }
  column "status" {
    type    = enum.booking_status
    default = "held"
  }
  primary_key { columns = [id] }
  foreign_key "room" {
    columns    = [room_id]
    references = table.rooms
  }
  index "by_room" { columns = [room_id] }

  # Of two callers who want one room at one time, one gets it.
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
