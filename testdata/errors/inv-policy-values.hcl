# A policy whose expressions have no value is told once, not for each column.
table "orders" {
  column "id" { type = bigint }
  column "net" { type = bigint }
  primary_key { columns = [id] }
}
policy "condition" {
  each    = columns
  require = each.name # ERROR wrong-type "\"require\" must be true or false, and it is a text.*would judge nothing"
  message = "x"
}
policy "filter" {
  each    = columns
  when    = 1 # ERROR wrong-type "\"when\" must be true or false, and it is a number"
  require = true
  message = "x"
}
policy "text" {
  each    = columns
  require = false
  message = each.null # ERROR wrong-type "\"message\" must be a text"
}
policy "failing" {
  each    = tables
  require = each.columns[5] == "x" # ERROR invalid-expression "does not identify an element"
  message = "x"
}
