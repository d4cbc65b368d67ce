table "events" {
  column "id" { type = bigint }
  column "title" { type = text }
  column "seats_used" { type = bigint }
  column "capacity" { type = integer }
  primary_key { columns = [id] }
  adjust "cheat" { set = { places_used = "places_used - 1" } } # ERROR fixed-column "counter of limit \"places\".*let too many in"
}
table "journal" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
  append_only = true
}
table "notes" {
  column "id" { type = bigint }
  column "entry_id" { type = bigint }
  primary_key { columns = [id] }
  foreign_key "entry" {
    columns    = [entry_id]
    references = table.journal
  }
  index "by_entry" { columns = [entry_id] }
  limit "few" {
    per = [entry_id] # ERROR group-parent "never change"
    max = 3
  }
}
table "bookings" {
  column "id" { type = bigint }
  column "event_id" { type = bigint }
  column "van" { type = text }
  column "weight" { type = real }
  column "tree" { type = type("ltree") }
  primary_key { columns = [id] }
  foreign_key "event" {
    columns    = [event_id]
    references = table.events
  }
  index "by_event" { columns = [event_id] }
  limit "places" {
    per = [event_id]
    max = 3
  }
  limit "seats" { # ERROR duplicate-name "both be named \"seats_used\""
    per = [event_id]
    max = 3
  }
  limit "titled" {
    per = [event_id]
    max = table.events.column.title # ERROR limit-max "is no number"
  }
  limit "vans" {
    per = [van]
    max = table.events.column.capacity # ERROR limit-max "no parent row"
  }
  limit "elsewhere" {
    per = [event_id]
    max = table.bookings.column.id # ERROR limit-max "does not have this column"
  }
  limit "load" {
    per = [van]
    sum = weight # ERROR limit-column "exact for integers and numeric alone"
    max = 800
  }
  limit "trees" {
    per = [tree] # ERROR limit-column "order of their values"
    max = 3
  }
  limit "words" {
    per = [van]
    max = "many" # ERROR wrong-type "a number or a column of the parent row"
  }
  limit "unknown" {
    per = [lorry] # ERROR unknown-column "lorry"
    max = 3
  }
}
table "plans" {
  column "code" { type = text }
  primary_key { columns = [code] }
}
table "members" {
  column "id" { type = bigint }
  column "plan" { type = text }
  primary_key { columns = [id] }
  foreign_key "plan" {
    columns    = [plan]
    references = table.plans
    on_update  = "cascade" # ERROR group-column "ON UPDATE CASCADE writes plan.*counted twice"
  }
  index "by_plan" { columns = [plan] }
  limit "few" {
    per = [plan]
    max = 3
  }
}
