# Queues whose tasks have an order in groups: a failed task blocks its group, or is passed.
# explain: queue.mails
# explain: queue.mails.enqueue
# explain: queue.mails.claim

pawl {
  project  = "queue-group"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "channel" { values = ["mail", "sms"] }

queue "mails" {
  column "to" { type = text }
  column "channel" {
    type    = enum.channel
    default = "mail"
  }
  column "body" { type = jsonb }
  lease    = "1m"
  attempts = 5
  group {
    by   = [to, channel]
    head = "block"
  }
}

queue "Sync Jobs" {
  column "order" { type = uuid }
  column "body" {
    type = text
    null = true
  }
  lease = "30s"
  group {
    by   = [order]
    head = "skip"
  }
}
