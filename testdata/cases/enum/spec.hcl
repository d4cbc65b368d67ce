# Enums: a default, an array, labels that are no identifiers or differ by case alone.
# explain: enum.job_state
# explain: table.jobs

pawl {
  project  = "enum"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "job_state" {
  values = ["new", "in progress", "done", "Done", "it's over", "-1", "+1"]
}

table "jobs" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "state" {
    type    = enum.job_state
    default = "new"
  }
  column "previous" {
    type = enum.job_state
    null = true
  }
  column "history" { type = list(enum.job_state) }
  primary_key { columns = [id] }
}
