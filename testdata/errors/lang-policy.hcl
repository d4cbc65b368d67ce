policy "words" {
  each     = colums # ERROR invalid-choice "did you mean columns"
  require  = true
  message  = "x"
  severity = "fatal" # ERROR invalid-choice "\"error\" or \"warning\""
}
policy "members" {
  each    = tables
  when    = each.nam == "x" # ERROR unknown-reference "\"each\" has no member \"nam\".*did you mean name"
  require = each == "x" # ERROR unknown-reference "\"each\" alone is no value"
  message = "${var.nothing} ${endwith(each.name, "x")}" # ERROR unknown-reference "No variable" ERROR unknown-function "did you mean endswith"
}
policy "missing" { each = tables } # ERROR missing-attribute "\"require\"" ERROR missing-attribute "\"message\""
