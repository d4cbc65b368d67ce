# The application's connections go through a pooler that gives each transaction
# another server connection: the generated New says so to the runtime.
# explain: table.counters.adjust.take
pawl {
  project = "pooler"
  schema  = "app"
}

generate "sql" { out = "schema.sql" }

generate "go" {
  out     = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

target "production" {
  url       = env("DATABASE_URL")
  admin_url = env("ADMIN_URL")
  pooler    = "transaction"
}

table "counters" {
  column "name" { type = text }
  column "remaining" { type = bigint }
  primary_key { columns = [name] }
  check "not_negative" { expr = "remaining >= 0" }
  adjust "take" {
    args = { n = bigint }
    set  = { remaining = "remaining - @n" }
  }
}
