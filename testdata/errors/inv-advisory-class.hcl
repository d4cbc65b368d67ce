pawl {
  project        = "corpus"
  advisory_class = 0 # ERROR advisory-class "outside 1 to 16383"
}
singleton "relay" { key = 1 }
