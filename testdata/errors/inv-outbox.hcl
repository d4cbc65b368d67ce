outbox "events" {
  aggregate = [order] # ERROR unknown-column "did you mean orders"
  column "orders" { type = bigint }
}
outbox "taken" {
  aggregate = [order_id]
  column "order_id" { type = bigint }
  column "done_at" { type = timestamptz } # ERROR queue-column "Every outbox has a column \"done_at\""
  retain = "3d"
}
outbox "nobody" {
  aggregate = [shop] # ERROR group-column "may be NULL.*Events without a group would have no order"
  column "shop" {
    type = text
    null = true
  }
}
outbox "many" {
  aggregate = [shops] # ERROR group-column "is a list, and the outbox is grouped by it"
  column "shops" { type = list(text) }
}
outbox "own" {
  aggregate = [id] # ERROR group-column "the outbox's own.*another one of that group"
  column "order_id" { type = bigint }
}
outbox "late" {
  aggregate = [order_id]
  column "order_id" { type = bigint }
  lease     = "30s"
  heartbeat = "20s" # ERROR queue-heartbeat "more than half of the lease"
}
queue "kept" {
  column "done_at" { type = timestamptz } # ERROR queue-column "Every queue has a column \"done_at\""
  lease  = "30s"
  retain = "3d"
}
