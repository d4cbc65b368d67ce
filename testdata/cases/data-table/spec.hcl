# A table of others that is read: in foreign keys, to its primary key and to another key, and in types.
# explain: table.orders.foreign_key.customer

pawl {
  project  = "data-table"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

data "table" "users" {
  schema = "auth"
  name   = "user accounts"
  column "id" { type = uuid }
  column "login" { type = varchar(40) }
  column "invited_by" {
    type = uuid
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "login" { columns = [login] }
}

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "customer_id" { type = data.table.users.column.id.type }
  column "seller" {
    type = data.table.users.column.login.type
    null = true
  }
  primary_key { columns = [id] }
  foreign_key "customer" {
    columns    = [customer_id]
    references = data.table.users
    on_delete  = "restrict"
  }
  foreign_key "seller" {
    columns    = [seller]
    references = data.table.users.no_duplicates.login
    on_update  = "cascade"
    on_delete  = "set null"
  }
  index "by_customer" { columns = [customer_id] }
  index "by_seller" { columns = [seller] }
}
