# UNIQUE (email, deleted_at), found in many schemas: it guards nothing.
pawl {
  project  = "soft-delete"
  postgres = 15
}
table "accounts" {
  column "id" { type = bigint }
  column "name" { type = text }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "guards_nothing" {
    columns = [name, deleted_at] # ERROR soft-delete-in-key "any number of them may have the same values.*live = \"deleted_at IS NULL\".*leave \"deleted_at\" out"
    nulls   = "distinct"
  }
  # One cause, one error: that NULL is not spoken of comes after.
  no_duplicates "unsaid" { columns = [name, deleted_at] } # ERROR soft-delete-in-key "part of the key"
  no_duplicates "collides" {
    columns = [name, deleted_at] # ERROR soft-delete-in-key "deleted in one transaction.*23505"
    nulls   = "not_distinct"
  }
  no_duplicates "meant" {
    columns = [name, deleted_at]
    nulls   = "distinct"
    allow   = { soft-delete-in-key = "each tombstone is unique" }
  }
  no_duplicates "tombstones" {
    columns = [name, deleted_at]
    where   = "deleted_at IS NOT NULL"
  }
}
