rule "someone" { holds = "SELECT 1" } # ERROR not-yet "\"rule\""
hold "h" {} # ERROR not-yet "\"hold\""
registry "r" {} # ERROR not-yet "\"registry\""

# What they declare is not missed a second time.
table "seats" {
  column "user_id" { type = bigint }
  foreign_key "user" {
    columns    = [user_id]
    references = rule.someone
  }
}
