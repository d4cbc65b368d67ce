table "no_key" { # ERROR primary-key-missing "could hit several"
  column "stock" { type = bigint }
  adjust "take" { set = { stock = "stock - 1" } }
}
table "nullable_key" {
  column "id" {
    type = bigint
    null = true
  }
  primary_key { columns = [id] } # ERROR nullable-primary-key "makes the columns of a primary key NOT NULL"
}
table "json_key" {
  column "id" { type = xml }
  primary_key { columns = [id] } # ERROR key-type "no order"
}
table "unknown_key" {
  column "id" { type = bigint }
  column "n" { type = bigint }
  primary_key { columns = [idd] } # ERROR unknown-column "did you mean id"
}
