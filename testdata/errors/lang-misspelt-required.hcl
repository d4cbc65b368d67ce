table "seats" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
  check "z" { expression = "id > 0" } # ERROR unknown-attribute "needs \"expr\": write expr ="
  column "q" { datatype = text } # ERROR unknown-attribute "write type ="
}
