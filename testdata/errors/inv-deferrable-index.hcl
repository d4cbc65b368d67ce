table "accounts" {
  column "id" { type = bigint }
  column "email" { type = text }
  primary_key { columns = [id] }
  no_duplicates "email" {
    columns    = [sql("lower(email)")]
    deferrable = true # ERROR deferrable-key "unique index is checked at once"
  }
  no_duplicates "plain" {
    columns    = [email]
    deferrable = true
  }
}
