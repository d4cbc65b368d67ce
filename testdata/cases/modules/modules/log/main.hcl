# A log of the changes of one table.
variable "table" { type = table }

enum "kind" {
  name   = "${var.table.name}_kind"
  values = ["made", "changed", "gone"]
}

table "log" {
  name = "${var.table.name}_log"
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "row_id" { type = var.table.column.id.type }
  column "kind" {
    type    = enum.kind
    default = "made"
  }
  primary_key { columns = [id] }
  foreign_key "row" {
    columns    = [row_id]
    references = var.table
  }
  index "by_row" { columns = [row_id] }
  check "known" { expr = "kind <> 'gone' OR row_id IS NOT NULL" }
}
