# Moves that the generated code keeps to; the state is text.
# explain: table.tickets.transitions.state

pawl {
  project  = "transitions-code"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "tickets" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "state" {
    type    = text
    default = "open"
  }
  primary_key { columns = [id] }
  check "state_known" { expr = "state IN ('open', 'closed')" }

  transitions "state" {
    column  = state
    initial = ["open"]
    enforce = "code"
    repeat  = "reject"
    move "close" {
      from = ["open"]
      to   = "closed"
    }
    move "reopen" {
      from = ["closed"]
      to   = "open"
    }
  }
}
