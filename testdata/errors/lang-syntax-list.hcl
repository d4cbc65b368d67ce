table "posts" {
  column "tags" { type = text[] } # ERROR syntax "write the type of a list as list\\(TYPE\\)"
}
