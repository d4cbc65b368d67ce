locals {
  a = desc("x") # ERROR function-call "in a key list only.*columns = \\[desc"
  b = sql(7) # ERROR wrong-type "SQL text, and it is a number"
  c = join(",", 7) # ERROR function-call "list"
}
table "events" {
  column "at" {
    type    = timestamptz
    default = now() # ERROR unknown-function "no function now.*sql\\(\"now"
  }
}
