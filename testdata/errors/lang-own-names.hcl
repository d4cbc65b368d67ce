table "seats" {
  column "id" { type = bigint }
  column "label" { type = text }
  primary_key { columns = id } # ERROR wrong-type "\"columns\" is a list.*columns = \\[id\\]"
  index "a" { columns = [] } # ERROR empty-list "\"columns\" is empty"
  index "b" { columns = [id, label, id] } # ERROR duplicate-name "names \"id\" twice"
  index "c" { columns = [7] } # ERROR wrong-type "column or sql"
  index "d" { columns = [lower(label)] } # ERROR unknown-reference "Nothing is named \"label\".*SQL text: sql"
  index "e" { columns = [desc(id, label)] } # ERROR function-call "desc\\(\\) takes one column"
  index "f" { columns = [opclass(label)] } # ERROR function-call "text_pattern_ops"
  index "g" { columns = [nulls_first(nulls_last(id))] } # ERROR function-call "both first and last"
  index "h" { columns = ["id", ""] } # ERROR invalid-name "empty"
  index "i" { columns = "id" } # ERROR wrong-type "must be a list, and it is a text"
  foreign_key "j" {
    columns    = [sql("id")] # ERROR wrong-type "name of a column of this table, and it is SQL text"
    references = table.seats
  }
  edit "k" { columns = [label, label] } # ERROR duplicate-name "twice"
}
