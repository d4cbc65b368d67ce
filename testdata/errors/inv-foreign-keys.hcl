table "rooms" {
  column "id" { type = bigint }
  column "name" { type = text }
  column "code" { type = text }
  column "alias" { type = text }
  primary_key { columns = [id] }
  no_duplicates "name" {
    columns    = [name]
    deferrable = true
  }
  no_duplicates "code" {
    columns = [code]
    where   = "code <> ''"
  }
  no_duplicates "alias" { columns = [alias] }
}
table "loose" {
  column "id" { type = bigint }
}
table "bookings" {
  column "id" { type = bigint }
  column "room_id" { type = bigint }
  column "room_text" { type = text }
  primary_key { columns = [id] }
  index "room" { columns = [room_id] }
  index "text" { columns = [room_text] }
  foreign_key "deferrable" {
    columns    = [room_text]
    references = table.rooms.no_duplicates.name # ERROR reference-deferrable "could then belong to both.*55000"
  }
  foreign_key "partial" {
    columns    = [room_text]
    references = table.rooms.no_duplicates.code # ERROR reference-target "not a key of all rows.*42830"
  }
  foreign_key "no_key" {
    columns    = [room_id]
    references = table.loose # ERROR reference-target "no primary key"
  }
  foreign_key "two_for_one" {
    columns    = [room_id, id] # ERROR reference-columns "2 columns and the key of \"rooms\" has 1 column"
    references = table.rooms
  }
  foreign_key "other_type" {
    columns    = [room_text] # ERROR reference-type "is text, and \"rooms.id\" is bigint"
    references = table.rooms
  }
  foreign_key "set_null" {
    columns    = [room_id]
    references = table.rooms
    on_delete  = "set null" # ERROR reference-action "would fail with 23502"
  }
  foreign_key "good" {
    columns    = [room_text]
    references = table.rooms.no_duplicates.alias
  }
}
