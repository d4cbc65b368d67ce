target "production" {
  url       = "postgres://pooler/app"
  admin_url = "postgres://server/app"
  pooler    = "transaction"
}
table "jobs" {
  column "id" { type = bigint }
  column "held" { type = boolean }
  column "tenant" {
    type    = text
    default = sql("set_config('app.tenant', 'none', false)") # ERROR session-behind-pooler "default calls set_config"
  }
  primary_key { columns = [id] }
  adjust "hold" { set = { held = "pg_catalog.pg_try_advisory_lock(id)" } } # ERROR session-behind-pooler "nobody can reach to unlock it.*scope .transaction."
  adjust "mark" { set = { held = "app.lastval() > 0" } }
  adjust "try" { set = { held = "pg_try_advisory_xact_lock(id)" } }
}
