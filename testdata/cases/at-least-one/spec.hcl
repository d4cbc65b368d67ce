# Lower bounds: every team has an owner, every order a line, every customer
# exactly one default address.
# explain: table.members.at_least_one.owner
# explain: table.addresses.exactly_one.default

pawl {
  project  = "at-least-one"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "role" { values = ["owner", "member"] }

table "teams" {
  column "id" { type = bigint }
  column "name" { type = text }
  primary_key { columns = [id] }
}

table "members" {
  column "id" { type = bigint }
  column "team_id" { type = bigint }
  column "role" { type = enum.role }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
    on_delete  = "cascade"
  }
  index "by_team" { columns = [team_id] }
  at_least_one "owner" {
    per    = [team_id]
    where  = "role = 'owner'"
    parent = table.teams
  }
}

table "orders" {
  column "shop" { type = text }
  column "number" { type = bigint }
  primary_key { columns = [shop, number] }
}

table "lines" {
  column "id" { type = bigint }
  column "shop" { type = text }
  column "number" {
    type = bigint
    null = true
  }
  primary_key { columns = [id] }
  foreign_key "order" {
    columns    = [shop, number]
    references = table.orders
    on_update  = "cascade"
  }
  index "by_order" { columns = [shop, number] }
  at_least_one "line" {
    per    = [shop, number]
    parent = table.orders
  }
}

table "customers" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  primary_key { columns = [id] }
}

table "addresses" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "customer_id" { type = bigint }
  column "is_default" {
    type    = boolean
    default = false
  }
  primary_key { columns = [id] }
  foreign_key "customer" {
    columns    = [customer_id]
    references = table.customers
    on_delete  = "cascade"
  }
  index "by_customer" { columns = [customer_id] }
  exactly_one "default" {
    per    = [customer_id]
    where  = "is_default"
    parent = table.customers
  }
}
