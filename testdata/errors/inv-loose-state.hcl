enum "order_status" { values = ["open", "paid", "shipped"] }
table "orders" {
  column "id" { type = bigint }
  column "status" { type = enum.order_status } # WARNING loose-state "\"status\" looks like a state, 3 operations write it.*shipped after all.*transitions \"status\""
  column "label" { type = text }
  column "payment_state" {
    type  = text
    allow = { loose-state = "the provider says what it is" }
  }
  column "phase" { type = text }
  primary_key { columns = [id] }
  edit "pay" { columns = [status, label, payment_state] }
  edit "ship" { columns = [status, label, payment_state, phase] }
  edit "refund" { columns = [payment_state, label] }
  adjust "open" { set = { status = "'open'", phase = "'first'" } }
}
table "shipments" {
  column "id" { type = bigint }
  column "status" { type = text }
  column "carrier_status" { type = text } # WARNING loose-state "\"carrier_status\" looks like a state"
  primary_key { columns = [id] }
  transitions "status" {
    column  = status
    initial = ["packed"]
    final   = ["gone", "lost"]
    move "send" {
      from = ["packed"]
      to   = "gone"
      set  = { carrier_status = "'taken'" }
    }
    move "lose" {
      from = ["packed"]
      to   = "lost"
      set  = { carrier_status = "'unknown'" }
    }
  }
  edit "hear" { columns = [carrier_status] }
}
