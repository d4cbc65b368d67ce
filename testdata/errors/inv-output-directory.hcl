generate "go" {
  out     = "../db"
  package = "db"
}
generate "sql" {
  out = ".." # ERROR output-path "is a directory, and the DDL is one file.*\"../schema.sql\""
}
