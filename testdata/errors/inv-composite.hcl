# The row of a table as the type of a column.
pawl {
  project = "composite"
  schema  = "app"
}
table "rooms" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "bookings" {
  column "id" { type = bigint }
  column "room" { type = type("rooms") } # ERROR wrong-type "row type of table \"rooms\""
  column "rooms" { type = list(type("app.rooms")) } # ERROR wrong-type "a composite type"
  column "path" { type = type("ltree") }
  primary_key { columns = [id] }
}
