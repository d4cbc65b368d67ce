queue "tasks" {
  column "state" { type = text } # ERROR queue-column "two values"
  column "kind" { type = text }
  lease = "5m"
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
