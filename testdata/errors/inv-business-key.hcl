table "countries" {
  column "country_code" { type = text }
  primary_key { columns = [country_code] }
}
table "orders" {
  column "id" { type = bigint }
  column "order_no" { type = text } # WARNING business-key "looks like a name that is given once.*both find nothing.*no_duplicates \"order_no\" \\{ columns = \\[order_no\\]"
  column "email" { type = text } # WARNING business-key "sql\\(\"lower\\(email\\)\"\\)"
  column "invoice_no" { type = bigint }
  column "tracking_code" { type = text }
  column "coupon_code" {
    type  = text
    allow = { business-key = "a coupon pays many orders" }
  }
  # These classify: many rows share them.
  column "currency_code" { type = text }
  column "billing_postal_code" { type = text }
  column "has_code" { type = boolean }
  column "origin_code" { type = text }
  primary_key { columns = [id] }
  no_duplicates "invoice" { columns = [invoice_no] }
  no_duplicates "tracking" { columns = [sql("upper(tracking_code)")] }
  foreign_key "origin" {
    columns    = [origin_code] # WARNING foreign-key-index "origin_code"
    references = table.countries
  }
}
table "people" {
  column "id" { type = bigint }
  column "email" { type = text }
  column "email_key" {
    type      = text
    generated = "lower(email)"
  }
  primary_key { columns = [id] }
  no_duplicates "email" { columns = [email_key] }
}
