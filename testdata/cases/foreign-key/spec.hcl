# Foreign keys: to a primary key, to a unique key, to the own table, in a circle, each action.
# explain: table.orders.foreign_key.customer
# explain: table.customers.foreign_key.last_order

pawl {
  project  = "foreign-key"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "customers" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "code" { type = text }
  column "last_order_id" {
    type = bigint
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "code" { columns = [code] }
  foreign_key "last_order" {
    columns    = [last_order_id]
    references = table.orders
    on_delete  = "set null"
  }
  index "by_last_order" { columns = [last_order_id] }
}

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "customer_id" { type = bigint }
  column "ordered_by" { type = text }
  column "replaces_id" {
    type = bigint
    null = true
  }
  primary_key { columns = [id] }
  foreign_key "customer" {
    columns    = [customer_id]
    references = table.customers
    on_delete  = "restrict"
  }
  foreign_key "ordered_by" {
    columns    = [ordered_by]
    references = table.customers.no_duplicates.code
    on_update  = "cascade"
  }
  foreign_key "replaces" {
    columns    = [replaces_id]
    references = table.orders
    on_delete  = "cascade"
  }
  index "by_customer" { columns = [customer_id] }
  index "by_ordered_by" { columns = [ordered_by] }
  index "by_replaces" { columns = [replaces_id] }
}
