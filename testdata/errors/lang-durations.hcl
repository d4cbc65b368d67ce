queue "tasks" {
  lease     = "5 minutes" # ERROR invalid-duration "\"5 minutes\" is no length of time.*\"5m\""
  heartbeat = 60 # ERROR invalid-duration "a number has no unit"
  backoff {
    base = "-1s" # ERROR out-of-range "from 1ms to 24 days"
    max  = "0s" # ERROR out-of-range "from 1ms.*leave the attribute out"
  }
}
queue "longer" {
  lease = "1m"
  backoff {
    max  = "1000d" # ERROR out-of-range "24 days"
  }
}
# A lease of 0 microseconds would be over before the worker starts, and a
# timeout of 0 is none at all.
queue "tiny" {
  lease     = "1ns" # ERROR out-of-range "from 1s to 24 days.\n?.*choose a length in that range$"
  heartbeat = "99ms" # ERROR out-of-range "from 100ms to 24 days.*leave the attribute out"
  backoff {
    base = "999us" # ERROR out-of-range "from 1ms to 24 days"
    max  = "1500us" # ERROR invalid-duration "no whole number of milliseconds.*\"2ms\""
  }
}
transaction "tiny" {
  lock_timeout      = "1us" # ERROR out-of-range "from 1ms"
  statement_timeout = "1.5ms" # ERROR invalid-duration "no whole number of milliseconds"
  idle_timeout      = "1.5s"
  retry {
    base   = "1us" # ERROR out-of-range "from 1ms"
    max    = "1us" # ERROR out-of-range "from 1ms"
    budget = "1us" # ERROR out-of-range "from 1ms"
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
  edit "b" {
    columns = [id]
    wait    = "1us" # ERROR invalid-duration "whole milliseconds"
  }
  edit "c" {
    columns = [id]
    wait    = "1.5ms" # ERROR invalid-duration "whole milliseconds"
  }
}
