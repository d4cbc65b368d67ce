# What never changes is written by no operation.
table "rooms" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "bookings" {
  column "id" { type = bigint }
  column "room_id" {
    type      = bigint
    null      = true
    immutable = true
  }
  column "status" {
    type      = text
    immutable = true
  }
  column "stock" {
    type      = bigint
    immutable = true
  }
  primary_key { columns = [id] }
  foreign_key "room" {
    columns    = [room_id]
    references = table.rooms
    on_delete  = "set null" # ERROR immutable-column "ON DELETE SET NULL would write.*every DELETE of a parent"
    on_update  = "cascade" # ERROR immutable-column "ON UPDATE CASCADE"
  }
  index "by_room" { columns = [room_id] }
  transitions "status" { # ERROR immutable-column "transitions block writes the column \"status\""
    column  = status
    initial = ["free"]
    move "stay" {
      from = ["free"]
      to   = "free"
    }
  }
  edit "move" { columns = [room_id] } # ERROR immutable-column "edit writes the column \"room_id\", which never changes"
  adjust "take" { set = { stock = "stock - 1" } } # ERROR immutable-column "PW002"
}
table "journal" {
  column "id" { type = bigint }
  column "room_id" { type = bigint }
  column "amount" { type = bigint }
  primary_key { columns = [id] }
  foreign_key "room" {
    columns    = [room_id]
    references = table.rooms
    on_delete  = "cascade" # ERROR immutable-column "ON DELETE CASCADE would write rows of \"journal\""
  }
  index "by_room" { columns = [room_id] }
  edit "correct" { columns = [amount] } # ERROR immutable-column "changes rows of \"journal\".*insert a row that says what happened"
  append_only = true
}
