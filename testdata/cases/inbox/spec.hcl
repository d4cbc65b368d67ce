# Messages from elsewhere that are each taken once, with their effect.
# explain: inbox.webhooks

pawl {
  project  = "inbox"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "credits" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "message" { type = text }
  primary_key { columns = [id] }
}

inbox "webhooks" {
  source = "stripe"
  retain = "14d"
}

# A name of its own, and a source that has to be quoted.
inbox "Partner Events" {
  name   = "partner's"
  source = "O'Neill & Co"
  retain = "36h"
}
