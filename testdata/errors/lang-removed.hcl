enum "status" { values = ["held", "paid"] }

removed {
  from    = "table.guests" # ERROR wrong-type "\"from\" is an address"
  destroy = false
}
removed {
  from    = enum.status.value.held # ERROR unknown-reference "\"value\" leads to no address"
  destroy = false
}
removed { # ERROR missing-attribute "needs the attribute \"destroy\""
  from = table.guests
}
removed {
  from    = table.guests.adjust.add # ERROR unknown-reference "\"adjust\" leads to no address.*check.NAME.*primary_key"
  destroy = false
}
removed {
  from    = table.guests
  destory = false # ERROR unknown-attribute "did you mean destroy"
}
