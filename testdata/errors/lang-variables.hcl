variable "lease" { type = string } # ERROR missing-variable "\"lease\" has no default.*--var lease=VALUE"
variable "a" {
  type    = number
  default = "5" # ERROR wrong-type "must be a number, and it is a text.*make default and type agree"
}
variable "b" {
  type    = "string" # ERROR invalid-choice "without quotes"
  default = "x"
}
variable "c" {
  type    = text # ERROR invalid-choice "a type of PostgreSQL is for columns"
  default = "x"
}
variable "d" { default = [1] } # ERROR wrong-type "a string, a number or a bool, and it is a list"
variable "e" {
  type    = strin # ERROR invalid-choice "did you mean string"
  default = "x"
}
locals {
  x = var.leas # ERROR unknown-reference "No variable \"leas\" is declared.*did you mean lease"
  y = var.lease
  z = var # ERROR unknown-reference "\"var\" alone is no value.*var.NAME"
}
