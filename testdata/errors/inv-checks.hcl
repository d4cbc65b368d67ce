table "accounts" {
  column "id" { type = bigint }
  column "opened_at" { type = timestamptz }
  primary_key { columns = [id] }
  check "constant" { expr = "1 < 2" } # ERROR check-without-column "guards nothing"
  check "later" { expr = "opened_at <= now()" } # WARNING not-immutable "need not be later.*restored dump"
  check "volatile" { expr = "opened_at <= clock_timestamp()" } # ERROR volatile-function "clock_timestamp"
  check "null" { expr = "id = NULL" } # ERROR null-comparison "counts as kept"
  check "allowed" {
    expr  = "opened_at <= now()"
    allow = { not-immutable = "rows are never loaded again" }
  }
}
