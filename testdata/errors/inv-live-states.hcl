table "none" {
  live = ["free"] # ERROR live-states "0 transitions blocks"
  column "id" { type = bigint }
  column "status" { type = text }
  primary_key { columns = [id] }
}

table "seats" {
  live = ["free", "gone"] # ERROR unknown-state "no state \"gone\""
  column "id" { type = bigint }
  column "holder" { type = bigint }
  column "status" { type = text }
  primary_key { columns = [id] }
  no_duplicates "holder" { columns = [holder] }
  transitions "status" {
    column  = status
    initial = ["free"]
    final   = ["taken"]
    move "take" {
      from = ["free"]
      to   = "taken"
    }
  }
}

table "empty" {
  live = [] # ERROR empty-list "live"
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
