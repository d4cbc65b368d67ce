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
variable "d" {
  type    = list(string)
  default = ["x", 1] # ERROR wrong-type "\\[1\\] in it must be a text, and it is a number"
}
variable "e" {
  type    = strin # ERROR invalid-choice "did you mean string"
  default = "x"
}
locals {
  x = var.leas # ERROR unknown-reference "No variable \"leas\" is declared.*did you mean lease"
  y = var.lease
  z = var # ERROR unknown-reference "\"var\" alone is no value.*var.NAME"
}
variable "f" {
  type    = list # ERROR invalid-choice "says in parentheses what is in it.*list\\(string\\)"
  default = []
}
variable "g" {
  type    = object({ name = string, size = optional(number) })
  default = { nam = "x" } # ERROR wrong-type "the member \"name\", and it is one without"
}
variable "h" {
  type    = object({ name = string, size = optional(number) })
  default = { name = "x", sizes = 1 } # ERROR wrong-type "the members name or size, and it is one with \"sizes\""
}
variable "i" {
  type    = map(list(numbr)) # ERROR invalid-choice "did you mean number"
  default = {}
}
variable "j" {
  type    = map(number)
  default = { a = { b = 1 } } # ERROR wrong-type "\\[\"a\"\\] in it must be a number, and it is an object"
}
variable "k" {
  type    = table
  default = "rooms" # ERROR wrong-type "must be a table, and it is a text"
}
variable "l" {
  type    = number
  default = 0 # ERROR invalid-variable "0 minutes are none"
  validation {
    condition     = var.l > 0
    error_message = "${var.l} minutes are none."
  }
}
variable "m" {
  default = 1
  validation {
    condition     = var.m # ERROR wrong-type "true or false, and it is a number"
    error_message = "?"
  }
}
variable "n" {
  default = 1
  validation { condition = true } # ERROR missing-attribute "error_message"
}

variable "defaults" {
  type    = object({ a = optional(number, "5") }) # ERROR wrong-type "must be a number, and it is a text"
  default = {}
}
variable "unknown_default" {
  type    = object({ a = optional(number, local.gone) }) # ERROR unknown-reference "No local \"gone\""
  default = {}
}
