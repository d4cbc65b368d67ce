# A queue with columns of its own, and one with the defaults.
# explain: queue.emails
# explain: queue.emails.claim

pawl {
  project  = "queue"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

queue "emails" {
  comment = "Mail to be sent."

  column "to" { type = text }
  column "subject" { type = text }
  column "headers" {
    type    = jsonb
    default = sql("'{}'::jsonb")
  }
  column "reply_to" {
    type = text
    null = true
  }
  lease     = "5m"
  heartbeat = "1m"
  attempts  = 12
  backoff {
    base   = "1s"
    max    = "1h"
    jitter = "full"
  }
}

queue "thumbnails" {
  column "image_id" { type = uuid }
  lease = "30s"
}
