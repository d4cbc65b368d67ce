pawl {
  project  = "test"
  app_role = "public" # ERROR invalid-name "everybody who can connect"
}
table "seats" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
