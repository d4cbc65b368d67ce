enum "seat_status" { values = ["free", "held", "booked", "gone", "lost"] }
table "seats" {
  column "id" { type = bigint }
  column "status" {
    type    = enum.seat_status
    default = "held" # ERROR initial-default "every insert that leaves the column out|Every insert"
  }
  primary_key { columns = [id] }
  transitions "status" { # ERROR unreachable-state "\"lost\" is not reached" ERROR unreachable-state "\"gone\" is not reached" ERROR stuck-state "\"held\" is a dead end.*final = "
    column  = status
    initial = ["free"]
    final   = ["booked"] # ERROR final-state "\"undo\" leaves it"
    move "hold" {
      from = ["free"]
      to   = "held"
    }
    move "book" {
      from = ["free"]
      to   = "booked"
    }
    move "undo" {
      from = ["booked"]
      to   = "free"
    }
  }
}
