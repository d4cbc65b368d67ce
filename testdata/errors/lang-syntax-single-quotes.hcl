enum "seat_status" { values = ['free', 'booked'] } # ERROR syntax "(?i)single quotes"
