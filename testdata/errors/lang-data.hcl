data "table" "users" {
  comment = "not ours to comment" # ERROR unknown-attribute "no attribute \"comment\""
  column "id" {
    type    = bigint
    default = 1 # ERROR unknown-attribute "no attribute \"default\""
  }
  column "name" { type = text }
  index "by_name" { columns = [name] } # ERROR unknown-block "\"index\""
  primary_key { columns = [id] }
}
data "table" "users" { # ERROR duplicate-name "two data blocks"
  column "id" { type = bigint }
}
data "view" "report" {} # ERROR block-labels "\"table\", and the name.*data \"table\" \"report\""
data "orphan" {}        # ERROR block-labels "two labels"
data {}                 # ERROR block-labels "two labels"
data "table" "empty" {} # ERROR missing-block "column"
data "table" "each" {
  for_each = toset(["a", "b"]) # ERROR repeated-name "contains each.key"
  column "id" { type = bigint }
}
table "rooms" {
  column "id" { type = data.table.users.id } # ERROR unknown-reference "write data.table.users.column.id"
  column "who" { type = data.table.user.column.id.type } # ERROR unknown-reference "No data \"table\" \"user\" is declared.*users"
  column "how" { type = data.users.column.id.type }      # ERROR unknown-reference "write data.table.NAME"
  column "why" { type = data.table.users.column.ids.type } # ERROR unknown-reference "has no column \"ids\""
  column "ok" { type = data.table.users.column.name.type }
  foreign_key "report" {
    columns    = [ok]
    references = data.table.report # labelled wrongly, which is said above
  }
}
