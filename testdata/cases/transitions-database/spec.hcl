# Moves that every client has to keep to.
# explain: table.orders.transitions.state
# explain: table.orders.transitions.state.pay

pawl {
  project  = "transitions-database"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "order_state" { values = ["new", "paid", "sent", "cancelled"] }

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "total" { type = numeric(12, 2) }
  column "state" {
    type    = enum.order_state
    default = "new"
  }
  primary_key { columns = [id] }
  check "sent_is_not_free" { expr = "state <> 'sent' OR total > 0" }

  transitions "state" {
    column  = state
    initial = ["new"]
    final   = ["sent", "cancelled"]
    move "pay" {
      from = ["new"]
      to   = "paid"
    }
    move "send" {
      from  = ["paid"]
      to    = "sent"
      guard = "total < 1000"
    }
    move "cancel" {
      from = ["new", "paid"]
      to   = "cancelled"
    }
  }
}
