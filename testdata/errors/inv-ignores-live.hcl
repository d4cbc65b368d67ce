table "accounts" {
  column "id" { type = bigint }
  column "email" { type = text }
  column "during" { type = tstzrange }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  live = "deleted_at IS NULL"

  no_duplicates "inherits" { columns = [sql("lower(email)")] }
  no_duplicates "implied" {
    columns = [email, id]
    where   = "(email <> '') AND deleted_at IS NULL"
  }
  no_duplicates "full" {
    columns = [email]
    where   = "true" # ERROR ignores-live "does not say deleted_at IS NULL.*nobody sees the old one.*allow = { ignores-live"
  }
  no_duplicates "meant" {
    columns = [email, during]
    where   = "email <> ''"
    allow   = { ignores-live = "an address is never given again" }
  }
  no_overlap "other_rows" {
    range = during
    where = "email <> ''" # ERROR ignores-live "This no_overlap also covers rows"
  }
}
