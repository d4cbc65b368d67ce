# A journal: rows come in, and nobody changes or deletes one.
# explain: table.journal.append_only

pawl {
  project  = "append-only"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "accounts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  primary_key { columns = [id] }
}

table "journal" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "account_id" { type = bigint }
  column "amount" { type = numeric(12, 2) }
  column "at" {
    type    = timestamptz
    default = sql("now()")
  }
  primary_key { columns = [id] }
  foreign_key "account" {
    columns    = [account_id]
    references = table.accounts
  }
  index "by_account" { columns = [account_id, at] }
  check "amount_is_something" { expr = "amount <> 0" }
  append_only = true
}
