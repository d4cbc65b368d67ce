# Tables of one name in two schemas: SQL knows them by their names, pawl by their labels.
pawl { project = "rules" }

table "day_shifts" {
  schema = "day"
  name   = "shifts"
  column "id" { type = bigint }
  column "on_call" { type = boolean }
  primary_key { columns = [id] }
}

table "night_shifts" {
  schema = "night"
  name   = "shifts"
  column "id" { type = bigint }
  column "on_call" { type = boolean }
  primary_key { columns = [id] }
}

rule "good" {
  on    = { day_shifts = [on_call], night_shifts = [on_call] }
  holds = "SELECT (SELECT count(*) FROM day.shifts WHERE on_call) >= (SELECT count(*) FROM night.shifts WHERE on_call)"
}

rule "by_its_label" {
  on    = { night_shifts = [on_call] }
  holds = "SELECT count(*) > 0 FROM night_shifts WHERE on_call" # ERROR rule-query "knows by another name.*write night.shifts$"
}

rule "which" {
  on    = { night_shifts = [on_call] }
  holds = "SELECT count(*) > 0 FROM shifts WHERE on_call" # ERROR rule-query "more than one schema.*day.shifts or night.shifts"
}

rule "misspelt" {
  on    = { night_shifts = [on_call] }
  holds = "SELECT count(*) > 0 FROM night.shift WHERE on_call" # ERROR rule-query "no table of the project.*night.shifts"
}

rule "which_on" {
  on    = { shifts = [on_call] } # ERROR unknown-reference "day_shifts"
  holds = "SELECT count(*) > 0 FROM night.shifts WHERE on_call"
}
