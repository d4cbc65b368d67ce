# A column that is misspelt where it is declared is one mistake, however many
# places name it.
table "orders" {
  column "id" { type = bigint }
  column "statsu" { type = text }
  primary_key { columns = [id] }
  index "status" { columns = [status] } # ERROR unknown-column "did you mean statsu"
  check "status" { expr = "status <> ''" }
  edit "pay" { columns = [status] }
  edit "ship" { columns = [status, id2] } # ERROR unknown-column "\"id2\""
  adjust "touch" { set = { status = "status" } }
}
