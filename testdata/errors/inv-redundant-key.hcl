table "notes" {
  column "id" { type = bigint }
  column "title" { type = text }
  primary_key { columns = [id] }
  no_duplicates "id" { columns = [id] } # WARNING redundant-key "the same as the primary key.*two indexes of the same values"
  no_duplicates "title" { columns = [title] }
  no_duplicates "title_again" { columns = [title] } # WARNING redundant-key "the same as no_duplicates \"title\""
  no_duplicates "twice" { columns = [sql("lower(title)"), sql("lower(title)")] } # ERROR duplicate-name "stands twice"
}
