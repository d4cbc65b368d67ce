table "seats" {
  column "id" { type = bigint }
  no_duplicate "label" { columns = [id] } # ERROR unknown-block "table block has no block \"no_duplicate\".*did you mean no_duplicates"
  move "book" { # ERROR unknown-block "a move block stands in a transitions block"
    from = ["free"]
    to   = "booked"
  }
  queue "tasks" { lease = "5m" } # ERROR unknown-block "queue block stands outside, at the top of a file"
  comment {} # ERROR unknown-block "is an attribute, not a block.*comment = …"
  primary_key {
    columns = [id]
    column "id" {} # ERROR unknown-block "column block stands in a table block"
  }
}
tabel "rooms" {} # ERROR unknown-block "no block \"tabel\" at the top.*did you mean table"
column "id" { type = bigint } # ERROR unknown-block "column block stands in a table block"
retry {} # ERROR unknown-block "retry block stands in a transaction block"
