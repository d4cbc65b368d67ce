table "teams" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "numbered" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  primary_key { columns = [id] }
}
table "journal" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
  append_only = true
}
table "members" {
  column "id" { type = bigint }
  column "team_id" { type = bigint }
  column "number_id" { type = bigint }
  column "entry_id" { type = bigint }
  column "path" { type = type("ltree") }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
  }
  foreign_key "number" {
    columns    = [number_id]
    references = table.numbered
  }
  foreign_key "entry" {
    columns    = [entry_id]
    references = table.journal
  }
  index "by_team" { columns = [team_id] }
  index "by_number" { columns = [number_id] }
  index "by_entry" { columns = [entry_id] }
  at_least_one "loose" {
    per    = [id]
    parent = table.teams # ERROR group-parent "No foreign key of \"members\" leads from id"
  }
  at_least_one "self" {
    per    = [team_id]
    parent = table.members # ERROR group-parent "the table itself"
  }
  at_least_one "numbered" {
    per    = [number_id]
    parent = table.numbered # ERROR group-parent "no column that an UPDATE can name"
  }
  at_least_one "entry" {
    per    = [entry_id]
    parent = table.journal # ERROR group-parent "never change"
  }
  at_least_one "top" {
    per    = [team_id]
    parent = table.teams
    where  = "path = 'top'" # ERROR group-column "pg_catalog alone"
  }
  at_least_one "orphan" { # ERROR missing-attribute "parent"
    per = [team_id]
  }
  exactly_one "first" {
    per    = [team_id]
    where  = "id = 1"
    parent = table.members # ERROR group-parent "the table itself"
  }
}
