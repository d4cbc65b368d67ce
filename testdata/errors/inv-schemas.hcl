pawl {
  project = "corpus"
  schema  = "pawl" # ERROR reserved-schema "its own records"
}
table "seats" {
  schema = "pg_seats" # ERROR reserved-schema "names that start with pg_"
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
