# A module used twice, and blocks that for_each repeats.
# explain: module.log["orders"].table.log
# explain: table.totals["month"]
# explain: table.orders.no_duplicates.reference["external"]
# explain: table.stock.transitions.state["bin"]
# explain: table.stock.adjust.put["shelf"]
# explain: queue.work["mail"]
# explain: singleton.relay["mail"]
pawl {
  project = "modules"
  schema  = "app"

  advisory_class = 4201
}

generate "go" {
  out     = "store"
  package = "store"
}
generate "sql" { out = "schema.sql" }

locals {
  periods = toset(["day", "month"])
  places  = toset(["shelf", "bin"])
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

# What declares no object of its own has a name in Go that for_each makes.
table "stock" {
  column "id" { type = bigint }
  column "amount" {
    for_each = local.places
    name     = "${each.key}_amount"
    type     = integer
    default  = 0
  }
  column "state" {
    for_each = local.places
    name     = "${each.key}_state"
    type     = enum.state
    default  = "open"
  }
  column "code" {
    for_each = local.places
    name     = "${each.key}_code"
    type     = text
  }
  primary_key { columns = [id] }
  check "positive" {
    for_each = local.places
    name     = "${each.key}_positive"
    expr     = "${each.key}_amount >= 0"
  }
  no_duplicates "code" {
    for_each = local.places
    name     = "stock_${each.key}_code"
    columns  = ["${each.key}_code"]
  }
  transitions "state" {
    for_each = local.places
    name     = "stock_${each.key}_state"
    column   = "${each.key}_state"
    initial  = ["open"]
    final    = ["paid"]
    move "pay" {
      name = "pay_${each.key}"
      from = ["open"]
      to   = "paid"
    }
  }
  adjust "put" {
    for_each = local.places
    name     = "put_${each.key}"
    args     = { n = integer }
    set      = { ("${each.key}_amount") = "${each.key}_amount + @n" }
  }
  edit "recode" {
    for_each = local.places
    name     = "recode_${each.key}"
    columns  = ["${each.key}_code"]
  }
  upsert "enter" {
    for_each = local.places
    name     = "enter_${each.key}"
    key      = no_duplicates.code[each.key]
    mode     = "ignore"
    allow    = { silent-loss = "the first one stays" }
  }
}

queue "work" {
  for_each = toset(["mail", "print"])
  name     = "${each.key}_work"
  lease    = "5m"
  column "text" { type = text }
}

singleton "relay" {
  for_each = {
    mail  = 1
    print = 2
  }
  name = "${each.key}_relay"
  key  = each.value
}
