target "production" {
  url          = env("DATABASE_URL") # not evaluated: no command names the target
  admin_url    = 7 # ERROR wrong-type "must be a text, and it is a number"
  pooler       = "session" # ERROR invalid-choice "\"session\" is no value of pooler.*\"transaction\""
  lock_timeout = 3 # ERROR invalid-duration "has no unit"
  protect      = "yes" # ERROR wrong-type "true or false"
  password     = "x" # ERROR unknown-attribute "no attribute \"password\""
}
target "staging" {
  pooler = env("POOLER", "transaction") # ERROR function-call "a target and in the default of a variable only"
}
target "production" { url = "x" } # ERROR duplicate-name "two target blocks"
target { url = "x" } # ERROR block-labels "needs one label"
