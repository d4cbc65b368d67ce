# The default lowest major is 14, which has no NULLS NOT DISTINCT.
table "accounts" {
  column "id" { type = bigint }
  column "email" {
    type = text
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "email" {
    columns = [email]
    nulls   = "not_distinct" # ERROR nulls-version "not on 14.*CREATE INDEX would fail.*postgres = 15"
  }
}
