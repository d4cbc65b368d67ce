# Limits of transactions: the default, and one that an operation takes by name.
# explain: transaction.hot
# explain: table.counters.adjust.add

pawl {
  project  = "transaction"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

transaction "default" {
  isolation         = "read committed"
  lock_timeout      = "1s"
  statement_timeout = "30s"
  idle_timeout      = "60s"
  retry {
    attempts = 5
    base     = "10ms"
    max      = "1s"
    budget   = "10s"
    on       = ["40001", "40P01"]
  }
}

transaction "hot" {
  isolation    = "read committed"
  lock_timeout = "100ms"
  retry {
    attempts = 20
    base     = "2ms"
    max      = "50ms"
  }
}

table "counters" {
  column "name" { type = text }
  column "value" {
    type    = bigint
    default = 0
  }
  primary_key { columns = [name] }
  check "not_negative" { expr = "value >= 0" }

  adjust "add" {
    args        = { n = bigint }
    set         = { value = "value + @n" }
    transaction = transaction.hot
  }
}
