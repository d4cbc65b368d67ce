# At most one row of a group is of a kind: a flag, a state, and kinds that no
# method picks.
# explain: table.addresses.at_most_one.default
# explain: table.plans.at_most_one.active
# explain: table.drafts.at_most_one.open

pawl {
  project  = "at-most-one"
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
  primary_key { columns = [id] }
}

table "addresses" {
  live = "deleted_at IS NULL"
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "customer_id" { type = bigint }
  column "street" { type = text }
  column "is_default" {
    type    = boolean
    default = false
  }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  foreign_key "customer" {
    columns    = [customer_id]
    references = table.customers
    on_delete  = "cascade"
  }
  index "by_customer" { columns = [customer_id] }
  at_most_one "default" {
    per   = [customer_id]
    where = "is_default AND deleted_at IS NULL"
  }
}

table "plans" {
  column "account" { type = text }
  column "id" { type = bigint }
  column "status" {
    type    = text
    default = "draft"
  }
  primary_key { columns = [account, id] }
  at_most_one "active" {
    per   = [account]
    where = "status = 'active'"
  }
}

table "drafts" {
  live = "closed_at IS NULL"
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "author" { type = text }
  column "closed_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  at_most_one "open" { per = [author] }
}
