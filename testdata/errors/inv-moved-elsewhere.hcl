table "guests" {
  column "id" { type = bigint }
  column "name" { type = text }
  primary_key { columns = [id] }
}

moved {
  from = table.visitors
  to   = table.guests
}
moved {
  from = table.visitors.column.called
  to   = table.guests.column.name
}
moved {
  from = table.clients.column.name
  to   = table.guests.column.id # ERROR moved-address "stands in table.clients, and table.guests.column.id in table.guests"
}
