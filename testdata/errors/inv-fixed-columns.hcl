table "seats" {
  column "code" { type = text }
  column "number" {
    type     = bigint
    identity = "always"
  }
  column "row" { type = text }
  primary_key { columns = [code] }
  edit "rename" { columns = [code] } # ERROR fixed-column "would be another one afterwards"
  edit "renumber" { columns = [row, number] } # ERROR fixed-column "428C9"
  adjust "recode" { set = { code = "code || 'x'" } } # ERROR fixed-column "primary key"
  adjust "forget" { set = { row = "NULL" } } # ERROR set-null "23502 on every call"
}
