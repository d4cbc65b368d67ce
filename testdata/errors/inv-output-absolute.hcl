generate "go" {
  out = "/srv/store" # ERROR output-path "not relative to the project.*may lead out of the project"
}
generate "sql" {
  out = "" # ERROR output-path "out is empty"
}
