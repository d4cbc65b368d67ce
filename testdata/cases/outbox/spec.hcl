# Outboxes: events written in the caller's transaction, published in the order of commit.
# explain: outbox.events
# explain: outbox.events.add
# explain: outbox.events.claim

pawl {
  project  = "outbox"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "kind" { values = ["placed", "paid"] }

table "orders" {
  column "id" { type = bigint }
  column "changes" {
    type    = bigint
    default = 0
  }
  primary_key { columns = [id] }
  adjust "change" {
    set = { changes = "changes + 1" }
  }
}

outbox "events" {
  aggregate = [order_id]
  column "order_id" { type = bigint }
  column "kind" {
    type    = enum.kind
    default = "placed"
  }
  column "body" { type = jsonb }
  lease  = "1s"
  retain = "3d"
}

outbox "Shop Notices" {
  aggregate = [shop, order]
  column "shop" {
    type      = varchar(40)
    collation = "C"
  }
  column "order" { type = uuid }
  column "tags" {
    type = list(text)
    null = true
  }
  lease    = "30s"
  attempts = 5
}
