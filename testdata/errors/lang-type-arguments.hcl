table "prices" {
  column "a" { type = numeric(0) } # ERROR function-call "from 1 to 1000"
  column "b" { type = numeric(12, 2, 3) } # ERROR function-call "at most 2"
  column "c" { type = varchar() } # ERROR function-call "(?i)not enough|missing"
  column "d" { type = varchar("x") } # ERROR function-call "number"
  column "e" { type = list("text") } # ERROR function-call "type"
  column "f" { type = list(list(text)) } # ERROR function-call "any number of dimensions"
  column "g" { type = type("ltree; DROP TABLE x") } # ERROR function-call "name of a type"
  column "h" { type = timestamptz(7) } # ERROR function-call "from 0 to 6"
  column "i" { type = bigint(4) } # ERROR unknown-function "nothing in parentheses.*write bigint"
  column "j" { type = list(serial) } # ERROR function-call "integer or bigint"
}
