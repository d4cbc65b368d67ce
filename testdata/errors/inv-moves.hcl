table "seats" {
  column "id" { type = bigint }
  column "status" { type = text }
  column "price" { type = bigint }
  primary_key { columns = [id] }
  transitions "status" {
    column  = status
    initial = ["free"]
    move "book" {
      from  = ["free"]
      to    = "booked"
      args  = { offer = bigint }
      guard = "price < (SELECT 10)" # ERROR sub-select "other rows|each other's rows"
      set   = { price = "@ofer" } # ERROR unknown-argument "did you mean @offer"
    }
    move "free" {
      from = ["booked"]
      to   = "free"
      set  = { prise = "0" } # ERROR unknown-column "did you mean price"
    }
  }
}
