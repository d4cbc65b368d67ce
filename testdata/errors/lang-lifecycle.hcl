enum "status" {
  values = ["held", "paid"]
  lifecycle { ignore_changes = [coment] } # ERROR invalid-choice "no attribute \"coment\".*comment"
}

table "rooms" {
  column "id" {
    type = bigint
    lifecycle {
      ignore_changes = [type] # ERROR invalid-choice "\"type\" of a column cannot be ignored"
    }
  }
  column "name" {
    type = text
    lifecycle { prevent_destroy = "yes" } # ERROR wrong-type "true or false"
  }
  primary_key {
    columns = [id]
    lifecycle { ignore_changes = ["columns"] } # ERROR wrong-type "names attributes"
  }
  lifecycle {
    prevent_destroy = true
    prevent_detsroy = true # ERROR unknown-attribute "did you mean prevent_destroy"
  }
  lifecycle {} # ERROR duplicate-block "two lifecycle blocks"
  edit "rename" {
    columns = [name]
    lifecycle { prevent_destroy = true } # ERROR unknown-block "no block \"lifecycle\""
  }
}

singleton "relay" {
  key = 1
  lifecycle { prevent_destroy = true } # ERROR unknown-block "no block \"lifecycle\""
}
