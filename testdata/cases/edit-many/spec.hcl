# Edits of several rows at once: locked in the order of their keys, decided on together.
# explain: table.accounts.edit.transfer

pawl {
  project  = "edit-many"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "label" { values = ["vip", "late"] }

table "accounts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "balance" { type = bigint }
  column "version" {
    type    = bigint
    default = 1
  }
  column "owner" { type = text }
  primary_key { columns = [id] }
  check "balance_not_negative" { expr = "balance >= 0" }
  version = version

  edit "transfer" {
    columns = [balance]
    rows    = "many"
  }
}

table "seats" {
  column "row" { type = text }
  column "n" { type = integer }
  column "holder" {
    type = text
    null = true
  }
  column "labels" {
    type    = list(enum.label)
    default = sql("'{}'")
  }
  primary_key { columns = [row, n] }

  edit "assign" {
    columns = [holder, labels]
    rows    = "many"
    wait    = "nowait"
  }
}
