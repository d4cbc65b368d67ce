# Columns that change by a formula while every check holds.
# explain: table.items.adjust.reserve
# explain: table.items.adjust.recount

pawl {
  project  = "adjust"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "items" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "stock" {
    type    = integer
    default = 0
  }
  column "reserved" {
    type    = integer
    default = 0
  }
  column "active" {
    type    = boolean
    default = true
  }
  primary_key { columns = [id] }
  check "stock_not_negative" { expr = "stock >= 0" }
  check "reserved_in_stock" { expr = "reserved BETWEEN 0 AND stock" }

  adjust "reserve" {
    args  = { qty = integer }
    set   = { reserved = "reserved + @qty" }
    guard = "active"
  }
  adjust "ship" {
    args = { qty = integer }
    set = {
      stock    = "stock - @qty"
      reserved = "reserved - @qty"
    }
  }
  adjust "recount" {
    args     = { delta = integer }
    set      = { stock = "stock + @delta" }
    positive = []
  }
}
