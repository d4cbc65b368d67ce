moved {
  from = "table.a" # ERROR wrong-type "\"from\" is an address"
  to   = table.b
}
moved { from = table.a } # ERROR missing-attribute "needs the attribute \"to\""
moved {
  from = tabel.a # ERROR unknown-reference "leads to no address.*enum.NAME.*table.NAME"
  to   = table.b.column # ERROR unknown-reference "leads to no address"
}
moved {
  from = table.a.primary_key.x # ERROR unknown-reference "column.NAME"
  to   = singleton.x # ERROR unknown-reference "leads to no address"
}
moved {
  from = enum.status.label.x # ERROR unknown-reference "value.VALUE"
  to   = module.log["a"].table.log.column["odd name"]
}
moved "x" { # ERROR block-labels "has no label"
  from = table.c
  to   = table.d
}
