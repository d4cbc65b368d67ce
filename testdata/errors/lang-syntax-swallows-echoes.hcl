# What the parser lost may be what the other file names: nothing is said of it.
table "seats" {
  column "status" { type = enum.seat_status }
}
enum "seat_status { values = ["free"] } # ERROR syntax "(?i)quot"
