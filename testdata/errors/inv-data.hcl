data "table" "users" {
  schema = "auth"
  column "id" { type = bigint }
  column "email" {
    type = text
    null = true
  }
  column "shape" { type = json }
  primary_key { columns = [id] }
  no_duplicates "email" { columns = [email] }
}
data "table" "keyless" {
  column "id" { type = bigint }
}
data "table" "nullable" {
  column "id" {
    type = bigint
    null = true
  }
  primary_key { columns = [id] }           # ERROR nullable-primary-key "may be NULL"
  no_duplicates "other" { columns = [ip] } # ERROR unknown-column "did you mean id"
}
data "table" "shaped" {
  column "shape" { type = json }
  primary_key { columns = [shape] } # ERROR key-type "has no order"
}
data "table" "rooms" { # ERROR duplicate-name "the project makes it itself"
  column "id" { type = bigint }
}
data "table" "accounts" { # the table that "users" describes, once more
  schema = "auth"
  name   = "users"
  column "id" { type = bigint }
}
table "rooms" {
  column "id" { type = bigint }
  column "owner_id" { type = integer }
  column "email" { type = data.table.users.column.email.type }
  primary_key { columns = [id] }
  index "by_owner" { columns = [owner_id] }
  index "by_email" { columns = [email] }
  foreign_key "owner" {
    columns    = [owner_id] # ERROR reference-type "is integer, and \"users.id\" is bigint"
    references = data.table.users
  }
  foreign_key "email" {
    columns    = [email]
    references = data.table.users.no_duplicates.email
  }
  limit "rooms" {
    per = [email]
    max = table.rooms.column.owner_id # ERROR limit-max "keeps no counter"
  }
  foreign_key "keyless" {
    columns    = [id]
    references = data.table.keyless # ERROR reference-target "no primary key"
  }
}
