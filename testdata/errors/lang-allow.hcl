table "seats" {
  column "id" { type = bigint }
  allow = { no-such-check = "we know" } # WARNING unknown-code "no check with the code \"no-such-check\""
  check "a" {
    expr  = "id > 0"
    allow = { discouraged-type = "" } # ERROR wrong-type "needs a reason"
  }
  check "b" {
    expr  = "id > 0"
    allow = ["discouraged-type"] # ERROR wrong-type "must be an object.*CODE = \"reason\""
  }
}
locals { allow = "a name like any other" }
variable "quiet" {
  type    = string
  default = ""
  allow   = { never-true = "nothing to silence" } # ERROR unknown-attribute "no attribute \"allow\""
}
