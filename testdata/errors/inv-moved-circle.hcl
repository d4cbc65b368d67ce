table "guests" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}

moved {
  from = table.guests.column.x
  to   = table.guests.column.y
}
moved {
  from = table.guests.column.y
  to   = table.guests.column.x # ERROR moved-address "lead in a circle, back to table.guests.column.x"
}
