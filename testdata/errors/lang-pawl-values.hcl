pawl {
  project        = seats # ERROR unknown-reference "Nothing is named \"seats\".*in quotes: \"seats\""
  postgres       = 13 # ERROR out-of-range "postgres.*from 14 to 18"
  schema         = 7 # ERROR wrong-type "must be a text, and it is a number"
  advisory_class = 16384 # ERROR out-of-range "advisory_class.*from 0 to 16383"
  app_role       = "" # ERROR invalid-name "The name is empty"
}
