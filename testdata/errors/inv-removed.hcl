table "guests" {
  column "id" { type = bigint }
  column "mail" { type = text }
  primary_key { columns = [id] }
  no_duplicates "mail" {
    columns = [mail]
    allow   = { case-sensitive-email = "as it was delivered" }
  }
}

removed {
  from    = table.guests.column.mail # ERROR removed-address "table.guests.column.mail is still declared"
  destroy = false
}
removed {
  from    = table.guests.primary_key # ERROR removed-address "table.guests.primary_key is still declared"
  destroy = true
}
removed {
  from    = table.guests # ERROR removed-address "table.guests is still declared"
  destroy = false
}
removed {
  from    = table.rooms
  destroy = false
}
removed {
  from    = table.rooms # ERROR removed-address "table.rooms is removed twice"
  destroy = true
}
