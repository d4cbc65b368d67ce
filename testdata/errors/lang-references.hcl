table "rooms" {
  column "id" { type = bigint }
  no_duplicates "name" { columns = [id] }
}
table "bookings" {
  column "a" { type = table.rooms.column.idd.type } # ERROR unknown-reference "table \"rooms\" has no column \"idd\".*did you mean id"
  column "b" { type = table.rooms.id.type } # ERROR unknown-reference "no member \"id\".*write table.rooms.column.id"
  column "c" { type = table.rooms.column.id.typ } # ERROR unknown-reference "no member \"typ\".*did you mean type"
  foreign_key "a" {
    columns    = [a]
    references = table.room # ERROR unknown-reference "No table \"room\" is declared.*did you mean rooms"
  }
  foreign_key "b" {
    columns    = [a]
    references = "rooms" # ERROR wrong-type "references a table or a key of one, and this is a text.*table.NAME"
  }
  foreign_key "c" {
    columns    = [a]
    references = table.rooms.column.id # ERROR wrong-type "table or a key of one, and this is an object"
  }
  foreign_key "d" {
    columns    = [a]
    references = table.rooms.no_duplicates.nam # ERROR unknown-reference "has no key \"nam\".*did you mean name"
  }
  foreign_key "e" {
    columns    = [a]
    references = rooms # ERROR unknown-reference "Nothing is named \"rooms\""
  }
  foreign_key "f" {
    columns    = [a]
    references = table[local.x] # ERROR unknown-reference "(?i)local" ERROR unknown-reference "name one: table.NAME"
  }
  adjust "g" {
    set         = { a = "a + 1" }
    transaction = "hot" # ERROR wrong-type "must be a transaction, and it is a text.*without quotes"
  }
  adjust "h" {
    set         = { a = "a + 1" }
    transaction = transaction.hot # ERROR unknown-reference "No transaction \"hot\" is declared"
  }
  comment = path.modul # ERROR unknown-reference "path.module"
}
