table "seats" {
  column "id" { type = bigint }
  column "id" { type = text } # ERROR duplicate-name "(?i)this table has two column blocks with the name \"id\""
  primary_key { columns = [id] }
  primary_key { columns = [id] } # ERROR duplicate-block "two primary_key blocks; one is the most"
  check "a" { expr = "id > 0" }
  check "a" { expr = "id > 1" } # ERROR duplicate-name "two check blocks with the name \"a\""
}
table "seats" { # ERROR duplicate-name "(?i)the project has two table blocks with the name \"seats\""
  column "id" { type = bigint }
}
enum "e" { values = ["a"] }
enum "e" { values = ["b"] } # ERROR duplicate-name "two enum blocks"
generate "sql" { out = "a.sql" }
generate "sql" { out = "b.sql" } # ERROR duplicate-name "two generate blocks with the name \"sql\""
queue "q" {
  lease = "1m"
  backoff {}
  backoff {} # ERROR duplicate-block "two backoff blocks"
}
