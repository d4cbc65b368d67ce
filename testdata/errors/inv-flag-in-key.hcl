# "One default a namespace", written with the flag in the key: it also forbids a
# second row that is not the default.
table "domains" {
  column "id" { type = bigint }
  column "namespace" { type = text }
  column "default" { type = boolean }
  column "main" {
    type = boolean
    null = true
  }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "one_default" {
    columns = [namespace, default] # ERROR flag-in-key "Of one namespace one row may have true.*the second row that is not \"default\".*deleted_at IS NULL AND"
    where   = "deleted_at IS NULL"
  }
  no_duplicates "alone" { columns = [default] } # ERROR flag-in-key "Of the table one row may have true"
  no_duplicates "right" {
    columns = [namespace]
    where   = "deleted_at IS NULL AND \"default\""
  }
  no_duplicates "chosen" {
    columns = [namespace, default]
    where   = "\"default\""
  }
  no_duplicates "true_or_null" {
    columns = [namespace, main]
    nulls   = "distinct"
  }
  no_duplicates "meant" {
    columns = [id, default]
    allow   = { flag-in-key = "one vote for and one against" }
  }
}
