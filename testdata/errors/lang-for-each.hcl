table "a" {
  for_each = ["x", "y"] # ERROR wrong-type "a map, an object or a set of texts, and it is a list.*toset"
  name     = each.key
  column "id" { type = bigint }
}
table "b" {
  for_each = toset(["x"]) # ERROR repeated-name "needs a name that contains each.key.*name = \"\\$\\{each.key\\}_b\""
  column "id" { type = bigint }
}
table "c" {
  for_each = toset(["x"])
  name     = "c" # ERROR repeated-name "needs a name that contains each.key"
  column "id" { type = bigint }
}
table "d" {
  for_each = { x = 1 }
  name     = each.kay # ERROR unknown-reference "each.key or each.value" ERROR repeated-name "each.key"
  column "id" { type = bigint }
}
table "e" {
  comment = each.key # ERROR unknown-reference "in no block with for_each"
  column "id" {
    type = bigint
    name = "ident" # ERROR unknown-attribute "named by its label"
  }
}
table "f" {
  for_each = toset(["x", "y"])
  name     = "f_${each.key}"
  column "id" { type = bigint }
}
table "g" {
  column "id" { type = table.f.column.id.type } # ERROR unknown-reference "no \"column\" among the keys of its for_each"
  column "x" { type = table.f["z"].column.id.type } # ERROR unknown-reference "table.f has no \"z\""
  column "y" { type = table.f["x"].column.idd.type } # ERROR unknown-reference "did you mean id"
  primary_key {
    for_each = toset(["x"]) # ERROR unknown-attribute "\"for_each\""
    columns  = [id]
  }
  foreign_key "f" {
    columns    = [id]
    references = table.f # ERROR unknown-reference "no \"primary_key\" among the keys"
  }
  adjust "h" {
    for_each = toset(["x"]) # ERROR repeated-name "one name in Go.*name = \"\\$\\{each.key\\}_h\""
    set      = { x = "x + 1" }
  }
  adjust "named" {
    for_each = toset(["x"])
    name     = "named" # ERROR repeated-name "A(n)? adjust block with for_each needs a name"
    set      = { x = "x + 1" }
  }
  transitions "s" {
    for_each = toset(["x"]) # ERROR repeated-name "one name in the database"
    column   = x
    initial  = ["a"]
    move "m" {
      for_each = toset(["x"]) # ERROR unknown-attribute "\"for_each\""
      name     = each.key
      from     = ["a"]
      to       = "b"
    }
    move "n" { # ERROR repeated-name "A move block within a block with for_each needs.*one name in Go"
      from = ["a"]
      to   = "b"
    }
    move "o" {
      name = "o" # ERROR repeated-name "A move block within"
      from = ["a"]
      to   = "b"
    }
  }
  upsert "u" {
    for_each = toset(["x"])
    name     = "u_${each.key}"
    key      = no_duplicates.x[var.nope] # ERROR unknown-reference "No variable \"nope\""
    mode     = "ignore"
  }
  upsert "v" {
    key  = no_duplicates.x["a"]["b"] # ERROR unknown-reference "a key of this table"
    mode = "ignore"
  }
}
queue "q" {
  for_each = toset(["x"]) # ERROR repeated-name "one name in the database"
  lease    = "5m"
  column "n" { type = bigint }
}
singleton "s" {
  for_each = toset(["x"]) # ERROR repeated-name "one name in Go"
  key      = 1
}
singleton "empty" {
  name = "" # ERROR invalid-name "empty"
  key  = 2
}
table "i" {
  for_each = { x = table.i["x"].name } # ERROR cycle "table.i"
  name     = each.key
  column "id" { type = bigint }
}
table "j" {
  for_each = null # ERROR wrong-type "and it is null"
  name     = each.key
  column "id" { type = bigint }
}
