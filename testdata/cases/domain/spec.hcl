# A domain with checks: as a column's type, over a list, in arguments, and behind the
# guards of an adjust and of a move, which name the check.
# explain: domain.positive_money
# explain: domain.positive_money.check.positive
# explain: table.orders.adjust.discount
# explain: table.orders.transitions.status.pay

pawl {
  project  = "domain"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

domain "positive_money" {
  type    = numeric(12, 2)
  comment = "What a customer pays, never what he gets back."
  check "positive" { expr = "VALUE >= 0" }
  check "sane" { expr = "value < 1000000" }
}

domain "amounts" {
  type = list(numeric(12, 2))
  check "positive" { expr = "0 <= ALL (value)" }
}

domain "code" {
  type    = text
  default = "new"
  check "form" { expr = "value ~ '^[a-z0-9-]{1,20}$'" }
}

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "code" { type = domain.code }
  column "price" { type = domain.positive_money }
  column "paid" {
    type = domain.positive_money
    null = true
  }
  column "parts" {
    type    = domain.amounts
    default = sql("'{}'")
  }
  column "status" {
    type    = text
    default = "open"
  }
  primary_key { columns = [id] }
  no_duplicates "code" { columns = [code] }

  adjust "discount" {
    args = { by = domain.positive_money }
    set  = { price = "price - @by" }
  }

  transitions "status" {
    column  = status
    initial = ["open"]
    final   = ["paid"]
    move "pay" {
      from = ["open"]
      to   = "paid"
      args = { paid = domain.positive_money }
      set  = { paid = "@paid" }
    }
  }
}
