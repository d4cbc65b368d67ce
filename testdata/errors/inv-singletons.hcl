pawl { # ERROR advisory-class "needs advisory_class.*wait for a stranger"
  project = "corpus"
}
singleton "relay" { key = 1 }
singleton "sweeper" { key = 1 } # ERROR singleton-key "each would wait for the other one.*key = 3"
singleton "reaper" { key = 2 }
