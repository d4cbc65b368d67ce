queue "tasks" {
  column "state" { type = text } # ERROR queue-column "two values"
  column "kind" { type = text }
  lease = "5m"
}
queue "jobs" {
  column "tag" {
    type = text
    null = true
  }
  lease = "5m"
  group { by = [tag] } # ERROR group-column "may be NULL"
}
queue "batches" {
  column "tags" { type = list(text) }
  lease = "5m"
  group { by = [tags] } # ERROR group-column "is a list"
}
queue "steps" {
  column "body" { type = jsonb }
  lease = "5m"
  group { by = [state] } # ERROR group-column "queue's own"
}
queue "mails" {
  column "to" { type = text }
  lease     = "1m"
  heartbeat = "50s" # ERROR queue-heartbeat "second worker starts the same task"
  backoff {
    base = "1h" # ERROR backoff-order "would not grow"
    max  = "1m"
  }
}
