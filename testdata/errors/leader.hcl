pawl {
  project        = "leaders"
  advisory_class = 4201
}
singleton "relay" {
  key   = 1
  lease = "15s" # ERROR leader-scope "\"lease\" belongs to a singleton with scope = \"leader\""
}
singleton "sweeper" {
  key     = 2
  scope   = "transaction"
  session = true # ERROR leader-scope "\"session\" belongs"
}
singleton "hasty" {
  key   = 3
  scope = "leader"
  lease = "200ms" # ERROR leader-lease "shorter than 1s.*slow round trip"
}
singleton "both" {
  key     = 4
  scope   = "leader"
  session = true
  lease   = "15s" # ERROR leader-lease "no lease"
}
singleton "same" {
  key   = 4 # ERROR singleton-key "same key 4"
  scope = "leader"
}
