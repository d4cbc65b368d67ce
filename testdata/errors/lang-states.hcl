enum "e" { values = [] } # ERROR empty-list "\"values\" is empty"
enum "f" { values = ["a", "b", "a"] } # ERROR duplicate-name "names \"a\" twice"
enum "g" { values = [free] } # ERROR wrong-type "in quotes: \"free\""
table "seats" {
  column "status" { type = text }
  transitions "status" {
    column  = status
    initial = "free" # ERROR wrong-type "must be a list"
    move "book" {
      from = [] # ERROR empty-list "\"from\" is empty"
      to   = booked # ERROR wrong-type "in quotes: \"booked\""
    }
    move "free" {
      from = [1] # ERROR wrong-type "must be a text"
      to   = ["free"] # ERROR wrong-type "must be a text, and it is a list"
    }
  }
}
# An empty text is a value like any other.
enum "twice" { values = ["", "a", ""] } # ERROR duplicate-name "twice"
