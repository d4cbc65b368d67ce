enum "status" { values = ["held", "paid"] }

table "guests" {
  column "id" { type = bigint }
  column "name" { type = text }
  column "mail" { type = text }
  primary_key { columns = [id] }
}

table "rooms" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}

moved {
  from = table.visitors
  to   = table.guets # ERROR moved-address "Nothing is declared at table.guets.*did you mean table.guests"
}
moved {
  from = table.guests.column.mail # ERROR moved-address "table.guests.column.mail is still declared"
  to   = table.guests.column.name
}
moved {
  from = table.clients
  to   = enum.status # ERROR moved-address "table.clients is no enum"
}
moved {
  from = table.a
  to   = table.rooms
}
moved {
  from = table.b
  to   = table.rooms # ERROR moved-address "table.b and table.a would both become table.rooms"
}
moved {
  from = table.a # ERROR moved-address "table.a is moved twice"
  to   = table.guests
}
moved {
  from = enum.status.value.open
  to   = enum.status.value.hold # ERROR moved-address "Nothing is declared at enum.status.value.hold"
}
moved {
  from = table.same
  to   = table.same # ERROR moved-address "Both addresses are table.same"
}
