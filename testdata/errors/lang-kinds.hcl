table "seats" {
  comment = true # ERROR wrong-type "must be a text, and it is true or false"
  live    = 7 # ERROR wrong-type "must be SQL text, and it is a number"
  column "id" {
    type     = bigint
    null     = "yes" # ERROR wrong-type "must be true or false, and it is a text.*without quotes"
    identity = "allways" # ERROR invalid-choice "did you mean \"always\""
    default  = [1] # ERROR wrong-type "constant or sql"
  }
  column "label" {
    type    = null # ERROR wrong-type "must be a type, and it is null"
    elements_nullable = 1 # ERROR wrong-type "must be true or false"
    default = bigint # ERROR wrong-type "constant or sql.*it is a type"
  }
}
singleton "a" { key = 1.5 } # ERROR out-of-range "whole number"
singleton "b" { key = "1" } # ERROR wrong-type "whole number, and it is a text"
queue "tasks" {
  lease    = "1m"
  attempts = 0 # ERROR out-of-range "attempts.*from 1"
}
