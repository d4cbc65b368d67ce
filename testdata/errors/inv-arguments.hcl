table "items" {
  column "id" { type = bigint }
  column "stock" { type = bigint }
  column "note" { type = text }
  primary_key { columns = [id] }
  adjust "unused" {
    args = { n = bigint, m = bigint } # ERROR unused-argument "\"m\" is declared and never used.*changes nothing"
    set  = { stock = "stock - @n" }
  }
  adjust "key" {
    args = { id = bigint } # ERROR argument-name "the key of the row"
    set  = { stock = "stock - @id" }
  }
  adjust "other_type" {
    args = { stock = text } # ERROR argument-type "the column of that name is bigint"
    set  = { stock = "@stock::bigint" }
  }
  adjust "positive" {
    args     = { n = bigint, why = text }
    set      = { stock = "stock - @n", note = "@why" }
    positive = [m, why] # ERROR positive-argument "no argument \"m\".*write n" ERROR positive-argument "not a number"
  }
}
