# At most three at once is no exclusion.
table "bookings" {
  column "id" { type = bigint }
  column "room_id" { type = bigint }
  column "during" { type = tstzrange }
  primary_key { columns = [id] }
  no_overlap "three" {
    within   = [room_id]
    range    = during
    capacity = 3 # ERROR overlap-capacity "asks for 3.*both count 2 and both go in.*column \"slot\""
  }
  no_overlap "one" {
    within   = [room_id]
    range    = during
    capacity = 1
  }
}
