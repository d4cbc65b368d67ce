table "accounts" {
  column "id" { type = bigint }
  column "name" { type = text }
  column "during" { type = tstzrange }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  live = "deleted_at IS NULL"

  no_duplicates "inherits" { columns = [sql("lower(name)")] }
  no_duplicates "implied" {
    columns = [name, id]
    where   = "(name <> '') AND deleted_at IS NULL"
  }
  no_duplicates "full" {
    columns = [name]
    where   = "true" # ERROR ignores-live "does not say deleted_at IS NULL.*nobody sees the old one.*allow = { ignores-live"
  }
  no_duplicates "meant" {
    columns = [name, during]
    where   = "name <> ''"
    allow   = { ignores-live = "an address is never given again" }
  }
  no_overlap "other_rows" {
    range = during
    where = "name <> ''" # ERROR ignores-live "This no_overlap also covers rows"
  }
}
