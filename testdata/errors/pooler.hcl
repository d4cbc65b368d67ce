pawl {
  project        = "pooled"
  advisory_class = 4201
}
target "production" {
  url    = "postgres://db/pooled"
  pooler = "transaction"
}
singleton "scheduler" {
  key     = 1
  scope   = "leader"
  session = true # ERROR pooler-session "gives the connection, and the lock with it.*a lease works through any pooler"
}
