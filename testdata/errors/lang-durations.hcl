queue "tasks" {
  lease     = "5 minutes" # ERROR invalid-duration "\"5 minutes\" is no length of time.*\"5m\""
  heartbeat = 60 # ERROR invalid-duration "a number has no unit"
  backoff {
    base = "-1s" # ERROR out-of-range "above 0 and of at most 24 days"
    max  = "0s" # ERROR out-of-range "above 0.*leave the attribute out"
  }
}
queue "longer" {
  lease = "1m"
  backoff {
    max  = "1000d" # ERROR out-of-range "24 days"
  }
}
transaction "default" {
  lock_timeout      = "d" # ERROR invalid-duration "no length of time"
  statement_timeout = "1d-1h" # ERROR invalid-duration "no length of time"
  idle_timeout      = "" # ERROR invalid-duration "no length of time"
}
table "seats" {
  column "id" { type = bigint }
  edit "a" {
    columns = [id]
    wait    = "soon" # ERROR invalid-duration "\"soon\" is no time to wait.*nowait"
  }
}
