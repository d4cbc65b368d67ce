# A table, its key, defaults of each kind, a comment.
# explain: table.rooms

pawl {
  project  = "table-basic"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "rooms" {
  comment = "One row a room."

  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" {
    type    = text
    comment = "What the door says."
  }
  column "seats" {
    type    = integer
    default = 0
  }
  column "open" {
    type    = boolean
    default = true
  }
  column "kind" {
    type    = varchar(20)
    default = "it's \\ plain"
  }
  column "added_at" {
    type    = timestamptz
    default = sql("now()")
  }
  column "closed_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
}

table "room_features" {
  column "room_id" { type = bigint }
  column "feature" { type = text }
  primary_key { columns = [room_id, feature] }
}
