# One mistake, one error: what rests on the wrong column is not told again.
table "seats" {
  column "id" { type = bigint }
  column "status" { type = enum.seat_state } # ERROR unknown-reference "seat_state"
  column "during" { type = tstzrangee } # ERROR unknown-type "tstzrange"
  column "room" { type = bigin } # ERROR unknown-type "bigint"
  primary_key { columns = [id] }
  no_duplicates "status" { columns = [status] }
  check "known" { expr = "status <> ''" }
  no_overlap "one" {
    within = [room]
    range  = during
  }
  transitions "status" {
    column  = status
    initial = ["free"]
    move "book" {
      from = ["free"]
      to   = "booked"
    }
  }
  edit "change" { columns = [room] }
  foreign_key "self" {
    columns    = [room]
    references = table.seats
    allow      = { foreign-key-index = "a test" }
  }
}
