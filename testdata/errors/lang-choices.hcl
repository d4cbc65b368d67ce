table "seats" {
  column "id" { type = bigint }
  column "status" { type = text }
  foreign_key "self" {
    columns    = [id]
    references = table.seats
    on_delete  = "casade" # ERROR invalid-choice "\"casade\" is no value of on_delete.*did you mean \"cascade\""
  }
  index "a" {
    columns = [id]
    method  = "rtree" # ERROR invalid-choice "\"btree\""
  }
  no_duplicates "b" {
    columns = [id]
    nulls   = "same" # ERROR invalid-choice "\"distinct\" or \"not_distinct\""
  }
  no_overlap "c" {
    range  = id
    bounds = "()" # ERROR invalid-choice "\"\\[\\)\""
  }
  transitions "status" {
    column  = status
    initial = ["a"]
    enforce = "db" # ERROR invalid-choice "\"database\" or \"code\""
    repeat  = "ignore" # ERROR invalid-choice "\"noop\" or \"reject\""
    move "go" {
      from = ["a"]
      to   = "b"
    }
  }
}
generate "go" {
  out      = "store"
  adapters = ["log", "slog", "slog"] # ERROR invalid-choice "\"log\" is no value of adapters.*did you mean \"slog\"" ERROR duplicate-name "names \"slog\" twice"
}
transaction "default" {
  isolation = "read commited" # ERROR invalid-choice "did you mean \"read committed\""
}
queue "tasks" {
  lease = "1m"
  backoff { jitter = "half" } # ERROR invalid-choice "\"full\""
}
