# Tables, indexes and types of a schema share one name space.
enum "rooms" { values = ["a"] }
table "rooms" { # ERROR duplicate-name "Table \"rooms\" and enum \"rooms\" would both be named.*stop half-way"
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "doors" {
  column "id" { type = bigint }
  column "status" { type = text }
  primary_key { columns = [id] }
  check "x" { expr = "id > 0" }
  index "x" { columns = [id, status] }         # an index may have the name of a check
  no_duplicates "x" { columns = [status] }     # ERROR duplicate-name "\"doors_x\" is taken"
}
table "rooms_y" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "halls" { # ERROR duplicate-name "Table \"halls\" and table \"rooms_y\" would both be named \"rooms_y\""
  name = "rooms_y" # a second table with the name
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
queue "rooms_y" { # ERROR duplicate-name "Queue \"rooms_y\" and table"
  lease = "5m"
}
