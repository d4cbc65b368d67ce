table "seats" {
  column "id" { type = bigint }
  column "status" { type = text }
  column "price" { type = bigint }
  primary_key { columns = [id] }
  transitions "status" {
    column  = status
    initial = ["free"]
    final   = ["sold"]
    move "sell" {
      from  = ["free"]
      to    = "sold"
      args  = { offer = bigint }
      guard = "price <= @offer" # WARNING guard-with-argument "a trigger does not know.*from free to sold whatever"
    }
  }
}
