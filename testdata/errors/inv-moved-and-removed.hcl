table "b" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
moved {
  from = table.a
  to   = table.b
}
removed {
  from    = table.a # ERROR removed-address "is moved and removed"
  destroy = false
}
