generate "go" {
  out = "./internal/store"
}
generate "sql" {
  out = "internal/store" # ERROR output-path "needs a directory"
}
