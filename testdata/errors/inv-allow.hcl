table "seats" {
  column "id" { type = bigint }
  column "status" { type = text }
  primary_key { columns = [id] }
  check "constant" {
    expr  = "1 < 2" # ERROR check-without-column "guards nothing"
    allow = { check-without-column = "I like it" } # ERROR allow-not-possible "cannot be silenced"
  }
}
