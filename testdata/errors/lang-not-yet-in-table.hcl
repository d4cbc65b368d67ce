table "seats" {
  column "id" { type = bigint }
  column "version" { type = bigint }
  column "status" { type = text }
  acyclic "c" {} # ERROR not-yet "\"acyclic\""
  at_least_one "d" {
    per    = [id]
    parent = table.seats
    since  = "id > 7" # ERROR not-yet "\"since\" of at_least_one"
  }
  edit "e" {
    columns = [status]
  }
  index "i" {
    columns = [id]
    with    = { fillfactor = 70 } # ERROR not-yet "\"with\""
  }
}
queue "tasks" {
  lease = "1m"
  column "n" {
    type      = bigint
    identity  = "always" # ERROR not-yet "attribute \"identity\" of column.*column id"
    immutable = true # ERROR not-yet "attribute \"immutable\" of column"
    generated = "1" # ERROR not-yet "attribute \"generated\" of column"
  }
}
