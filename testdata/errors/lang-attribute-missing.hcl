table "seats" {
  column "id" { null = false } # ERROR missing-attribute "column block needs the attribute \"type\".*add type = bigint"
  foreign_key "x" { columns = [id] } # ERROR missing-attribute "references.*add references = table.NAME"
  no_overlap "y" { within = [id] } # ERROR missing-attribute "range.*add range = COLUMN"
  transitions "s" { # ERROR missing-attribute "\"column\"" ERROR missing-attribute "initial = \\[\"STATE\"\\]"
    move "go" { to = "b" } # ERROR missing-attribute "\"from\""
  }
  adjust "a" {} # ERROR missing-attribute "adjust block needs the attribute \"set\""
  check "c" {} # ERROR missing-attribute "\"expr\""
}
queue "tasks" {} # ERROR missing-attribute "lease.*\"5m\""
singleton "relay" {} # ERROR missing-attribute "add key = 1"
