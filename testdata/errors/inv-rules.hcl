# Rules over several rows: what they look at, and who writes it.
pawl { project = "rules" }

enum "duty" { values = ["on", "off"] }

table "teams" {
  column "id" { type = bigint }
  column "most" { type = bigint }
  primary_key { columns = [id] }
}

table "shifts" {
  column "id" { type = bigint }
  column "team_id" { type = bigint }
  column "doctor" { type = text }
  column "on_call" { type = boolean }
  column "duty" { type = enum.duty }
  column "path" { type = type("ltree") }
  column "version" {
    type    = bigint
    default = 1
  }
  column "since" {
    type      = date
    immutable = true
  }
  primary_key { columns = [id] }
  version = version
  foreign_key "team" {
    columns    = [team_id]
    references = table.teams
    on_delete  = "cascade" # WARNING rule-cascade "foreign_key \"team\".*DELETE.*PW007"
    on_update  = "cascade" # WARNING rule-cascade "ON UPDATE CASCADE"
  }
  index "by_team" { columns = [team_id, on_call] }
}

table "notes" {
  column "id" { type = bigint }
  column "team" { type = bigint }
  primary_key { columns = [id] }
}

data "table" "clinics" {
  column "id" { type = bigint }
}

rule "good" {
  on     = { shifts = [team_id, on_call] }
  args   = { team_id = bigint }
  parent = table.teams
  allow  = { rule-cascade = "both know" }
  holds  = "SELECT count(*) >= 1 FROM shifts AS s WHERE s.team_id = @team_id AND s.on_call AND s.since > '2020-01-01'"
  operation "leave" {
    args = { id = bigint }
    run  = "UPDATE shifts SET on_call = false, version = version + 1 WHERE id = @id AND team_id = @team_id"
  }
}

rule "cascaded" {
  on    = { shifts = [team_id, on_call] }
  args  = { team_id = bigint }
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call"
}

rule "no_such_table" {
  on    = { shits = [team_id] } # ERROR unknown-reference "shifts"
  args  = { team_id = bigint }
  holds = "SELECT true FROM shifts WHERE team_id = @team_id"
}

rule "theirs" {
  on    = { clinics = [id] } # ERROR rule-on "belongs to others"
  args  = { id = bigint }
  holds = "SELECT true FROM clinics WHERE id = @id"
}

rule "other_argument" {
  on    = { shifts = [team_id, on_call], notes = [team] }
  args  = { team_id = bigint } # ERROR rule-on "no column of \"notes\""
  holds = "SELECT true FROM shifts, notes WHERE team_id = @team_id AND team = team_id"
}

rule "other_type" {
  on    = { shifts = [team_id, on_call] }
  args  = { team_id = text } # ERROR rule-on "is text.*is bigint"
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call"
}

rule "group_left_out" {
  on    = { shifts = [on_call] } # ERROR rule-on "which group"
  args  = { team_id = bigint }
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call"
}

rule "column_left_out" {
  on    = { shifts = [team_id] }
  args  = { team_id = bigint }
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call" # ERROR rule-on "\"shifts.on_call\""
}

rule "table_left_out" {
  on    = { shifts = [team_id, on_call] }
  args  = { team_id = bigint }
  holds = "SELECT count(*) >= 1 FROM shifts, teams WHERE team_id = @team_id AND on_call" # ERROR rule-on "reads \"teams\""
}

rule "two_values" {
  on    = { shifts = [team_id, on_call] }
  args  = { team_id = bigint }
  holds = "SELECT 1, 2 FROM shifts WHERE team_id = @team_id" # ERROR rule-query "2 columns"
}

rule "no_table" {
  on    = { shifts = [on_call] }
  holds = "SELECT true" # ERROR rule-query "reads no table"
}

rule "writes" {
  on    = { shifts = [on_call] }
  holds = "SELECT true FROM shifts FOR UPDATE" # ERROR sql-writes "FOR UPDATE"
}

rule "no_select" {
  on    = { shifts = [on_call] }
  holds = "DELETE FROM shifts" # ERROR sql-not-expression "one SELECT"
}

rule "two_queries" {
  on    = { shifts = [on_call] }
  holds = "SELECT true; SELECT true" # ERROR sql-several "unseen"
}

rule "own_function" {
  on    = { shifts = [on_call] }
  holds = "SELECT enough(count(*)) FROM shifts WHERE on_call" # ERROR rule-query "public.enough"
}

rule "own_type" {
  on    = { shifts = [duty] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE duty = 'on'::duty" # ERROR rule-query "public.duty"
}

rule "foreign_type" {
  on    = { shifts = [path] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE path IS NOT NULL" # ERROR rule-query "ltree"
}

rule "dice" {
  on    = { shifts = [on_call] }
  holds = "SELECT count(*) > random() FROM shifts WHERE on_call" # ERROR volatile-function "random"
}

rule "by_the_clock" {
  on    = { shifts = [team_id, on_call] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE since < current_date" # ERROR volatile-function "current_date\\(\\) answers by the clock.*store the time in a column"
}

rule "by_who_asks" {
  on    = { shifts = [doctor] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE doctor = current_user" # ERROR volatile-function "current_user"
}

rule "by_an_age" {
  on    = { shifts = [doctor] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE age(since) > '1 day' OR age(since, since) > '1 day'" # ERROR volatile-function "age"
}

rule "by_a_word" {
  on    = { shifts = [doctor] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE since < 'today'" # ERROR volatile-function "'today' is the time"
}

rule "name_from_around" {
  on    = { shifts = [team_id, on_call], teams = [id] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE on_call AND EXISTS (SELECT FROM teams WHERE id = team_id)" # ERROR rule-query "no column of \"teams\".*shifts.team_id"
}

rule "name_of_its_own" { # the sub-select's own id, and nothing of shifts
  allow = { rule-cascade = "both know" }
  on    = { shifts = [team_id, on_call], teams = [id] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE on_call AND EXISTS (SELECT FROM teams WHERE id = shifts.team_id)"
}

rule "misspelt" {
  on    = { shifts = [team_id, on_call] }
  args  = { team_id = bigint }
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_cal" # ERROR unknown-column "on_call"
}

rule "argument_misspelt" {
  on    = { shifts = [team_id, on_call] }
  args  = { team_id = bigint }
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team AND on_call" # ERROR unknown-argument "@team"
}

rule "no_reference" {
  on     = { shifts = [team_id, on_call] }
  args   = { team_id = bigint }
  parent = table.notes # ERROR group-parent "No foreign key"
  holds  = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call"
}

rule "no_argument" {
  on     = { shifts = [on_call] }
  parent = table.teams # ERROR group-parent "no arguments"
  holds  = "SELECT count(*) >= 1 FROM shifts WHERE on_call"
}

rule "whole_table" {
  on    = { notes = [team] } # WARNING rule-index "reads all of"
  args  = { team = bigint }
  holds = "SELECT count(*) < 10 FROM notes WHERE team = @team"
}

rule "operations" {
  on    = { shifts = [team_id, on_call, since] }
  args  = { team_id = bigint }
  allow = { rule-cascade = "both know" }
  holds = "SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call"
  operation "reads" {
    run = "SELECT 1 FROM shifts WHERE team_id = @team_id" # ERROR sql-not-expression "INSERT, UPDATE or DELETE"
  }
  operation "returns" {
    run = "DELETE FROM shifts WHERE team_id = @team_id RETURNING id" # ERROR sql-not-expression "leave RETURNING out"
  }
  operation "elsewhere" {
    run = "UPDATE notes SET team = 1 WHERE team = @team_id" # ERROR rule-write "does not look at"
  }
  operation "takes" {
    args = { id = bigint, doctor = text }
    run  = "INSERT INTO shifts (id, team_id, doctor, on_call) VALUES (@id, @team_id, @doctor, true) ON CONFLICT (id) DO NOTHING" # ERROR rule-write "does not track"
  }
  operation "unversioned" {
    run = "UPDATE shifts SET on_call = false WHERE team_id = @team_id" # ERROR rule-write "version"
  }
  operation "frozen" {
    run = "UPDATE shifts SET since = '2020-01-01', version = version + 1 WHERE team_id = @team_id" # ERROR immutable-column "never changes"
  }
  operation "misspelt" {
    run = "UPDATE shifts SET on_cal = false, version = version + 1 WHERE team_id = @team_id" # ERROR unknown-column "on_call"
  }
  operation "nowhere" {
    run = "DELETE FROM shifts WHERE team_id = @team_id AND x = 1" # ERROR unknown-column "\"x\""
  }
  operation "unknown" {
    run = "DELETE FROM other WHERE id = @team_id" # ERROR rule-query "no table of the project"
  }
  operation "any_group" {
    args = { id = bigint }
    run  = "DELETE FROM shifts WHERE id = @id" # ERROR unused-argument "team_id"
  }
  operation "again" {
    args = { team_id = bigint } # ERROR argument-name "the operation takes already"
    run  = "DELETE FROM shifts WHERE team_id = @team_id"
  }
}
