# A predicate of an index must be able to hold and must not change with time.
table "holds" {
  column "id" { type = bigint }
  column "seat" { type = bigint }
  column "until" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "null" {
    columns = [seat]
    where   = "until = NULL" # ERROR null-comparison "= NULL is never true.*every duplicate.*IS NULL"
  }
  no_duplicates "false" {
    columns = [seat]
    where   = "until IS NULL AND false" # ERROR never-true "no row can meet.*every duplicate and every overlap"
  }
  no_duplicates "now" {
    columns = [seat]
    where   = "until > now()" # ERROR not-immutable "now.*moved on.*42P17.*keep the fact in a column"
  }
  no_duplicates "current" {
    columns = [seat]
    where   = "until > CURRENT_TIMESTAMP" # ERROR not-immutable "current_timestamp"
  }
  index "random" {
    columns = [seat]
    where   = "random() < 0.5" # ERROR volatile-function "gives another result"
  }
}
