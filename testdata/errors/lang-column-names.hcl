table "seats" {
  column "id" { type = bigint }
  column "price" { type = bigint }
  column "part" {
    for_each = toset(["a", "price"])
    name     = each.key # ERROR duplicate-name "Two columns have the name \"price\""
    type     = text
  }
  column "again" {
    for_each = toset(["a"])
    name     = "${each.key}" # ERROR duplicate-name "Two columns have the name \"a\""
    type     = text
  }
  primary_key { columns = [id] }
}
queue "tasks" {
  lease = "1m"
  column "x" { type = text }
  column "y" {
    for_each = toset(["x"])
    name     = "${each.key}" # ERROR duplicate-name "Two columns have the name \"x\""
    type     = bigint
  }
}
