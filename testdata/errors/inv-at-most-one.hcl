table "addresses" {
  live = "deleted_at IS NULL"
  column "id" { type = bigint }
  column "customer_id" { type = bigint }
  column "area" { type = json } # WARNING discouraged-type "no equality"
  column "is_default" { type = boolean }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  at_most_one "first" {
    per   = [is_default] # ERROR group-column "different groups"
    where = "is_default"
  }
  at_most_one "default" {
    per   = [customer_id]
    where = "is_default" # ERROR ignores-live "This at_most_one also covers rows"
  }
  at_most_one "unknown" {
    per = [client_id] # ERROR unknown-column "client_id"
  }
  at_most_one "outlined" {
    per = [area] # ERROR key-type "which an at_most_one cannot hold"
  }
  at_most_one "never" {
    per   = [customer_id]
    where = "deleted_at = NULL" # ERROR null-comparison "= NULL"
  }
  at_most_one "groupless" { # ERROR missing-attribute "per"
    where = "is_default AND deleted_at IS NULL"
  }
}
