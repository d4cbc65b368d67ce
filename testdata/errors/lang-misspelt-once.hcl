# A misspelt name is one mistake: that what was meant is missing, or unknown
# elsewhere, is its echo.
table "seats" {
  column "id" { typ = bigint } # ERROR unknown-attribute "did you mean type"
  primary_key { colums = [id] } # ERROR unknown-attribute "did you mean columns"
  transitions "status" {
    colum   = status # ERROR unknown-attribute "did you mean column"
    initial = ["free"]
    move "book" {
      form = ["free"] # ERROR unknown-attribute "did you mean from"
      to   = "booked"
    }
  }
}
queue "tasks" {
  leese = "5m" # ERROR unknown-attribute "did you mean lease"
}
