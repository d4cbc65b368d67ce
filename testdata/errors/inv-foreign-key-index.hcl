table "rooms" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "bookings" {
  column "id" { type = bigint }
  column "a" { type = bigint }
  column "b" { type = bigint }
  column "c" { type = bigint }
  column "d" { type = bigint }
  column "during" { type = tstzrange }
  primary_key { columns = [id] }
  index "b" { columns = [b, a] }
  index "partial" {
    columns = [d]
    where   = "d > 0"
  }
  no_overlap "c" {
    within = [c]
    range  = during
  }
  foreign_key "a" {
    columns    = [a] # WARNING foreign-key-index "reads all of \"bookings\".*index \"by_a\""
    references = table.rooms
  }
  foreign_key "b" {
    columns    = [b]
    references = table.rooms
  }
  foreign_key "room_c" {
    columns    = [c]
    references = table.rooms
  }
  foreign_key "d" {
    columns    = [d] # WARNING foreign-key-index "begins with \"d\""
    references = table.rooms
  }
  foreign_key "quiet" {
    columns    = [a]
    references = table.rooms
    allow      = { foreign-key-index = "rooms are never deleted" }
  }
}
