enum "size" { values = ["small", "large"] }
domain "fit" { type = enum.size } # ERROR domain-type "could not lose a value"
domain "price" {
  type = numeric(12, 2)
  null = true # ERROR unknown-attribute "null = true in the column"
}
domain "cents" {
  type = domain.price # ERROR domain-type "made of another domain"
}
domain "rate" {
  type    = numeric(5, 4)
  default = "none" # ERROR default-value "does not fit"
  check "constant" { expr = "1 < 2" } # ERROR check-without-column "does not mention the value"
  check "other" { expr = "value < price" } # ERROR unknown-column "knows its value alone"
  check "many" { expr = "value < (SELECT max(n) FROM limits)" } # ERROR sub-select "CHECK"
  check "twice" {
    name = "rate_low"
    expr = "value < 1"
  }
  check "low" { expr = "value >= 0" } # ERROR duplicate-name "rate_low"
}
table "offers" {
  column "id" { type = bigint }
  column "rate" { type = domain.rate }
  column "rates" {
    type = list(domain.rate) # ERROR domain-type "0A000"
  }
  column "cost" { type = domain.prise } # ERROR unknown-reference "did you mean price"
  primary_key { columns = [id] }
}
