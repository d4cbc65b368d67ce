table "accounts" {
  column "id" { type = bigint }
  column "name" { type = text }
  primary_key { columns = [id] }
  no_duplicates "name" {
    columns    = [sql("lower(name)")]
    deferrable = true # ERROR deferrable-key "unique index is checked at once"
  }
  no_duplicates "plain" {
    columns    = [name]
    deferrable = true
  }
}
