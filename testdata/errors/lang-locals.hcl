locals {
  a = local.b
  b = local.c
  c = local.a # ERROR cycle "local.a → local.b → local.c → local.a"
  d = local.a
}
locals {
  d = 1 # ERROR duplicate-name "two locals with the name \"d\""
  e = local.nothing # ERROR unknown-reference "No local \"nothing\" is declared.*write one of a, b"
  f = 1 + "x" # ERROR wrong-type "(?i)number"
  g = [1, 2][7] # ERROR invalid-expression "(?i)does not identify an element"
  h = uper("x") # ERROR unknown-function "upper"
  i = format("%d", "x") # ERROR function-call "(?i)number"
}
table "seats" {
  column "id" { type = local.e }
  comment = local.f
}
