table "cards" {
  column "id" { type = bigint }
  column "list_id" { type = bigint }
  column "board" {
    type = text
    null = true
  }
  column "position" { type = bigint }
  column "title" { type = text }
  column "rank" {
    type    = bigint
    default = 1
  }
  primary_key { columns = [id] }
  ordered "position" {
    per    = [list_id]
    column = position
  }
  edit "place" { columns = [position] } # ERROR fixed-column "position of ordered"
  ordered "titled" {
    per    = [list_id]
    column = title # ERROR group-column "is no integer"
  }
  ordered "ranked" {
    per    = [list_id]
    column = rank # ERROR group-column "a value of its own already"
  }
  ordered "boarded" {
    per    = [board] # ERROR group-column "may be NULL"
    column = rank
  }
  ordered "keyed" {
    per    = [list_id]
    column = id # ERROR group-column "never changes"
  }
}
table "lists" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "entries" {
  column "id" { type = bigint }
  column "list_id" { type = bigint }
  column "position" { type = bigint }
  primary_key { columns = [id] }
  foreign_key "list" {
    columns    = [list_id]
    references = table.lists
    on_update  = "cascade" # ERROR group-column "ON UPDATE CASCADE writes \"list_id\".*order of the group would be lost"
    on_delete  = "cascade"
  }
  index "list" { columns = [list_id] }
  ordered "position" {
    per    = [list_id]
    column = position
  }
}
