# A text that was left empty is a mistake, not a declaration that is not there.
table "jobs" {
  column "id" { type = bigint }
  column "name" { type = text }
  column "at" {
    type    = timestamptz
    default = sql("") # ERROR sql-empty "no SQL in this text"
  }
  primary_key { columns = [id] }
  live = "" # ERROR sql-empty "no SQL"
  check "c" { expr = " " } # ERROR sql-empty "this check"
  no_duplicates "name" {
    columns = [name]
    where   = "" # ERROR sql-empty "this predicate"
  }
  no_duplicates "lower" { columns = [sql("")] } # ERROR sql-empty "no SQL"
  adjust "rename" {
    set   = { name = "" } # ERROR sql-empty "no SQL"
    guard = "" # ERROR sql-empty "this guard"
  }
}
