# Work that one process at a time does.
# explain: singleton.outbox_relay

pawl {
  project        = "singleton"
  postgres       = 14
  schema         = "app"
  advisory_class = 4201
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

singleton "outbox_relay" {
  key   = 1
  scope = "transaction"
}

singleton "nightly-report" {
  key   = 2
  scope = "transaction"
}
