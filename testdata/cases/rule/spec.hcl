# Rules over several rows: with and without a parent, over two tables, over all rows.
# explain: rule.someone_on_call
# explain: rule.enough_beds.admit

pawl {
  project = "clinic"
  schema  = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "duty" { values = ["on call", "off"] }

table "teams" {
  column "id" {
    type     = bigint
    identity = "by default"
  }
  column "name" { type = text }
  column "beds" {
    type    = integer
    default = 2
  }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
}

table "shifts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "team_id" { type = bigint }
  column "doctor" { type = text }
  column "on_call" { type = boolean }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
    on_delete  = "cascade"
    allow      = { rule-cascade = "a team is closed by one program, at SERIALIZABLE" }
  }
  no_duplicates "doctor" { columns = [team_id, doctor] }
  edit "rename" { columns = [doctor] }
  edit "swap" { columns = [on_call] }
  upsert "plan" {
    key    = no_duplicates.doctor
    mode   = "converge"
    update = [on_call]
  }
}

# A team has somebody on call from its first moment on, until it is closed.
rule "someone_on_call" {
  holds  = <<-SQL
    SELECT count(*) >= 1 FROM shifts WHERE shifts.team_id = @team_id AND on_call
  SQL
  on     = { shifts = [team_id, on_call] }
  args   = { team_id = bigint }
  parent = table.teams
  operation "go_off_call" {
    args = { id = bigint }
    run  = "UPDATE shifts SET on_call = false WHERE id = @id AND team_id = @team_id"
  }
  operation "leave" {
    args = { id = bigint }
    run  = "DELETE FROM shifts WHERE id = @id AND team_id = @team_id"
  }
}

table "patients" {
  column "id" {
    type     = bigint
    identity = "by default"
  }
  column "team_id" { type = bigint }
  primary_key { columns = [id] }
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
  }
  index "by_team" { columns = [team_id] }
}

# Over two tables, one of which is the parent: its own rows are the groups.
rule "enough_beds" {
  holds  = "SELECT count(p.id) <= max(t.beds) FROM teams AS t LEFT JOIN patients AS p ON p.team_id = t.id WHERE t.id = @team_id"
  on     = { patients = [team_id, id], teams = [id, beds] }
  args   = { team_id = bigint }
  parent = table.teams
  operation "admit" {
    args = { id = bigint }
    run  = "INSERT INTO patients (id, team_id) SELECT @id, @team_id WHERE NOT EXISTS (SELECT FROM patients WHERE id = @id)"
  }
}

table "Order Items" {
  column "id" { type = bigint }
  column "User" { type = text }
  column "duty" { type = enum.duty }
  primary_key { columns = [id] }
  index "by_user" { columns = [User] }
}

# Names that need quotes, and no parent.
rule "Someone's duty" {
  holds = "SELECT bool_or(duty = 'on call') FROM \"Order Items\" AS old WHERE old.\"User\" = @User"
  on    = { "Order Items" = [User, duty] }
  args  = { User = text }
  operation "stop" {
    args = { id = bigint }
    run  = "UPDATE \"Order Items\" SET duty = 'off' WHERE id = @id AND \"User\" = @User"
  }
}

# No arguments: one group, of all rows.
rule "not_all_off" {
  holds = "SELECT count(*) = 0 OR bool_or(duty = 'on call') FROM \"Order Items\""
  on    = { "Order Items" = [duty] }
}
