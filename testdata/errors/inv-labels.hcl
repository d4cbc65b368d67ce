# A literal that its column never holds makes a condition that is always true,
# or never.
enum "seat_status" { values = ["free", "booked"] }
table "seats" {
  column "id" { type = bigint }
  column "status" { type = enum.seat_status }
  column "phase" { type = text }
  column "note" { type = text }
  primary_key { columns = [id] }
  no_duplicates "status" {
    columns = [id, note]
    where   = "status <> 'boked'" # ERROR unknown-state "22P02.*did you mean booked"
  }
  no_duplicates "phase" {
    columns = [note]
    where   = "phase IN ('new', 'olt')" # ERROR unknown-state "covers too much or too little.*did you mean old"
  }
  check "note" { expr = "note <> 'anything'" }
  transitions "phase" {
    column  = phase
    initial = ["new"]
    final   = ["old"]
    move "age" {
      from  = ["new"]
      to    = "old"
      guard = "status = 'bookd'" # ERROR unknown-state "no value \"bookd\""
    }
  }
}
