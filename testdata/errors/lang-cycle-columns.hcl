table "a" {
  column "x" { type = table.b.column.y.type } # ERROR cycle "table.b.column.y → table.a.column.x → table.b.column.y"
  column "own" { type = table.a.column.fine.type }
  column "fine" { type = bigint }
}
table "b" {
  column "y" { type = table.a.column.x.type }
}
