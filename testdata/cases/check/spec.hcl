# Checks: precedence, quotes, several columns, a name of its own.
# explain: table.products.check.price_known

pawl {
  project  = "check"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "product_state" { values = ["draft", "on sale"] }

table "products" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "state" {
    type    = enum.product_state
    default = "draft"
  }
  column "price" {
    type = numeric(12, 2)
    null = true
  }
  column "code" { type = text }
  primary_key { columns = [id] }
  check "price_known" { expr = "state <> 'on sale' OR price IS NOT NULL AND price > 0" }
  check "code_shape" { expr = "code ~ '^[A-Z]{3}-[0-9]+$' AND code NOT LIKE '%''%'" }
  check "renamed" {
    name = "code has a length"
    expr = "length(code) BETWEEN 5 AND 40"
  }
  check "listed" { expr = "state IN ('draft', 'on sale')" }
}
