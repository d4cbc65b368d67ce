table "seats" {
  column "id" {
    type     = text
    identity = "always" # ERROR identity-column "not an integer type"
  }
  column "n" {
    type     = bigint
    identity = "always" # ERROR identity-column "a value already comes from here"
    default  = 1
  }
  column "m" {
    type     = bigint
    identity = "by default" # ERROR identity-column "never NULL"
    null     = true
  }
  column "label" {
    type              = text
    elements_nullable = true # ERROR wrong-type "has no elements"
  }
  primary_key { columns = [id] }
}
