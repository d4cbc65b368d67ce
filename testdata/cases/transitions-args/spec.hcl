# Moves with arguments and further columns; a call that is repeated is told from another one.
# explain: table.seats.transitions.state.book

pawl {
  project  = "transitions-args"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "seat_state" { values = ["free", "booked"] }

table "seats" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "state" {
    type    = enum.seat_state
    default = "free"
  }
  column "customer_id" {
    type = bigint
    null = true
  }
  column "price" {
    type = numeric(12, 2)
    null = true
  }
  column "version" {
    type    = bigint
    default = 1
  }
  primary_key { columns = [id] }
  check "price_not_negative" { expr = "price >= 0" }

  transitions "state" {
    column  = state
    initial = ["free"]
    move "book" {
      from  = ["free"]
      to    = "booked"
      args  = { customer_id = bigint, price = numeric(12, 2), limit = integer }
      guard = "version < @limit"
      set = {
        customer_id = "@customer_id"
        price       = "@price"
        version     = "version + 1"
      }
    }
    move "release" {
      from = ["booked"]
      to   = "free"
      set = {
        customer_id = "NULL"
        price       = "NULL"
        version     = "version + 1"
      }
    }
  }
}
