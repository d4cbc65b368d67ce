# A module used twice, and blocks that for_each repeats.
# explain: module.log["orders"].table.log
# explain: table.totals["month"]
# explain: table.orders.no_duplicates.reference["external"]
pawl {
  project = "modules"
  schema  = "app"
}

generate "go" {
  out     = "store"
  package = "store"
}
generate "sql" { out = "schema.sql" }

locals {
  periods = toset(["day", "month"])
}

enum "state" { values = ["open", "paid"] }

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "state" { type = enum.state }
  column "reference" {
    for_each = toset(["external", "internal"])
    name     = "${each.key}_ref"
    type     = text
  }
  primary_key { columns = [id] }
  no_duplicates "reference" {
    for_each = toset(["external", "internal"])
    name     = "orders_${each.key}"
    columns  = ["${each.key}_ref"]
  }
}

table "items" {
  column "id" { type = uuid }
  primary_key { columns = [id] }
}

table "totals" {
  for_each = local.periods
  name     = "${each.key}_totals"
  comment  = "The sum of a ${each.value}."
  column "starts" { type = date }
  column "amount" {
    type    = numeric(14, 2)
    default = 0
  }
  primary_key { columns = [starts] }
  adjust "add" {
    args = { sum = numeric(14, 2) }
    set  = { amount = "amount + @sum" }
  }
}

module "log" {
  for_each = {
    orders = table.orders
    items  = table.items
  }
  source = "./modules/log"
  table  = each.value
}

table "notes" {
  column "id" { type = bigint }
  column "log_id" { type = module.log["orders"].table.log.column.id.type }
  column "kind" { type = module.log["items"].enum.kind }
  primary_key { columns = [id] }
  foreign_key "log" {
    columns    = [log_id]
    references = module.log["orders"].table.log
  }
  index "by_log" { columns = [log_id] }
}
