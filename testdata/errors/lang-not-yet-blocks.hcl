data "table" "users" {} # ERROR not-yet "\"data\""
moved { # ERROR not-yet "\"moved\""
  from = table.a
  to   = table.b
}
removed { from = table.a } # ERROR not-yet "\"removed\""
domain "price" { type = numeric(12, 2) } # ERROR not-yet "\"domain\""
rule "someone" { holds = "SELECT 1" } # ERROR not-yet "\"rule\""
hold "h" {} # ERROR not-yet "\"hold\""
registry "r" {} # ERROR not-yet "\"registry\""

# What they declare is not missed a second time.
table "seats" {
  column "price" { type = domain.price }
  column "user_id" { type = bigint }
  foreign_key "user" {
    columns    = [user_id]
    references = data.table.users
  }
}
