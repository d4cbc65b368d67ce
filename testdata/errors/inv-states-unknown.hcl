enum "seat_status" { values = ["free", "booked"] }
table "seats" {
  column "id" { type = bigint }
  column "status" { type = enum.seat_status }
  column "kind" { type = text }
  primary_key { columns = [id] }
  transitions "status" {
    column  = status
    initial = ["fre"] # ERROR unknown-state "22P02.*did you mean free"
    final   = ["done"] # ERROR unknown-state "no state \"done\""
    move "book" {
      from = ["free"]
      to   = "bookd" # ERROR unknown-state "did you mean booked"
    }
    move "free" {
      from = ["booked", "lost"] # ERROR unknown-state "write one of free or booked"
      to   = "free"
    }
  }
  transitions "kind" {
    column  = kind
    initial = ["new"]
    move "age" {
      from = ["nwe"] # ERROR unknown-state "not initial, and no move leads there.*did you mean new"
      to   = "old"
    }
  }
}
