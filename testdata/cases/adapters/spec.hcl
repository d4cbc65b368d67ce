# The package has an option for slog and one for OpenTelemetry.
# explain: table.rooms
pawl { project = "adapters" }

generate "go" {
  out      = "store"
  package  = "store"
  runtime  = "github.com/pawldb/pawl/pawl"
  adapters = ["slog", "otel"]
}

generate "sql" { out = "schema.sql" }

table "rooms" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
}
