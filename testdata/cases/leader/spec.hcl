# A leader with a lease, and one that holds a lock of its session.
# explain: singleton.scheduler
# explain: singleton.consumer

pawl {
  project        = "leader"
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

singleton "scheduler" {
  key   = 1
  scope = "leader"
  lease = "20s"
}

singleton "consumer" {
  key     = 2
  scope   = "leader"
  session = true
}
