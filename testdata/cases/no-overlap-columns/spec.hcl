# A range made of two columns.
# explain: table.shifts.no_overlap.one_per_person

pawl {
  project  = "no-overlap-columns"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "shifts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "person_id" { type = uuid }
  column "starts_at" { type = timestamptz }
  column "ends_at" { type = timestamptz }
  primary_key { columns = [id] }
  no_overlap "one_per_person" {
    within = [person_id]
    range  = { from = starts_at, to = ends_at, bounds = "[)" }
  }
}
