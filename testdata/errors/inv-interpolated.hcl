# Interpolated SQL is parsed after evaluation, and errors point at the whole string.
variable "floor" {
  type    = number
  default = 0
}
table "accounts" {
  column "id" { type = bigint }
  column "balance" { type = bigint }
  primary_key { columns = [id] }
  check "floor" { expr = "balence >= ${var.floor}" } # ERROR unknown-column "no column \"balence\".*The text after evaluation is: balence >= 0"
}
