table "bookings" {
  column "a" { type = timestamptz }
  column "b" { type = timestamptz }
  no_overlap "one" { range = { from = a, to = b } } # ERROR missing-attribute "needs \"bounds\".*bounds = \"\\[\\)\""
  no_overlap "two" { range = { start = a, to = b, bounds = "[)" } } # ERROR unknown-attribute "no member \"start\"" ERROR missing-attribute "needs \"from\""
  no_overlap "three" { range = [a, b] } # ERROR wrong-type "one column here, and this is a list.*range = COLUMN"
}
