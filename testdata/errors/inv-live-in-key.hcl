table "accounts" {
  column "id" { type = bigint }
  column "email" { type = text }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  live = "deleted_at IS NULL"
  no_duplicates "email" {
    columns = [email, deleted_at] # ERROR live-column-in-key "says which rows are live.*two live rows with the same values both succeed.*leave \"deleted_at\" out"
    nulls   = "distinct"
  }
}
