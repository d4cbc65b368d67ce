pawl {
  project  = "example"
  postgres = 14 # the oldest server that the output must work on
}

generate "go" {
  out     = "store"
  package = "store"
}

generate "sql" { out = "schema.sql" }
