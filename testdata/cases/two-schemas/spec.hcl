# Tables of one name in two schemas, with a rule in each and a key between them.
# explain: table.archive_orders
# explain: table.orders.transitions.state

pawl {
  project  = "two-schemas"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "order_state" { values = ["open", "closed"] }

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "state" {
    type    = enum.order_state
    default = "open"
  }
  primary_key { columns = [id] }
  transitions "state" {
    column  = state
    initial = ["open"]
    final   = ["closed"]
    move "close" {
      from = ["open"]
      to   = "closed"
    }
  }
}

table "archive_orders" {
  schema = "Archive"
  name   = "orders"
  column "id" { type = bigint }
  column "state" { type = enum.order_state }
  primary_key { columns = [id] }
  foreign_key "order" {
    columns    = [id]
    references = table.orders
  }
  transitions "state" {
    column  = state
    initial = ["open"]
    final   = ["closed"]
    move "close" {
      from = ["open"]
      to   = "closed"
    }
  }
}
