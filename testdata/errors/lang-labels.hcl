table { # ERROR block-labels "table block needs one label: the name of the table.*table \"NAME\""
  column "id" { type = bigint }
  column {} # ERROR block-labels "column block needs one label" ERROR missing-attribute "type"
}
table "a" "b" { # ERROR block-labels "has one label.*remove what follows \"a\""
  column "id" { type = bigint }
}
locals "x" {} # ERROR block-labels "locals block has no label"
table "c" {
  column "id" { type = bigint }
  primary_key "id" { columns = [id] } # ERROR block-labels "primary_key block has no label.*primary_key \\{ … \\}"
}
generate {} # ERROR block-labels "needs one label: what is generated"
generate "rust" { out = "src" } # ERROR invalid-choice "cannot generate \"rust\".*\"go\" or \"sql\""
