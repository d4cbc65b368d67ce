table "seats" {
  column "id" { type = bigint }
  column "label" { type = text }
  primary_key { columns = [id] }
  index "fine" { columns = [opclass(label, "text_pattern_ops")] }
  index "worse" { columns = [opclass(label, "text_ops); DROP TABLE x; --")] } # ERROR invalid-name "another statement could hide in it"
  index "bad" { columns = [opclass(label, "text_ops) WHERE (true")] } # ERROR invalid-name "another statement could hide in it"
}
