queue "tasks" {
  lease       = "1m"
  priority    = true # ERROR not-yet "\"priority\""
  schedule    = true # ERROR not-yet "\"schedule\""
  dead_letter = true # ERROR not-yet "\"dead_letter\""
  notify      = true # ERROR not-yet "\"notify\""
  limit { total = 3 } # ERROR not-yet "\"limit\""
  unique "u" { columns = [a] } # ERROR not-yet "\"unique\""
}
enum "state" {
  values = ["a", "b"]
}
generate "go" {
  out        = "store"
}
