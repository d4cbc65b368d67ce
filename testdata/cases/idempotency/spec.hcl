# Work that is done once: in one transaction, for a caller's key within a tenant and for an entity, and in phases.
# explain: idempotency.place_order
# explain: idempotency.refund_payment
# explain: idempotency.create_payment

pawl {
  project  = "idempotency"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "tenant_id" { type = bigint }
  column "what" { type = text }
  primary_key { columns = [id] }
}

idempotency "place_order" {
  unit          = "request"
  scope         = { tenant_id = bigint }
  retry_window  = "24h"
  retain        = "72h"
  wait          = "250ms"
  audit_expired = true
}

idempotency "refund_payment" {
  unit         = "entity"
  key          = { payment_id = uuid }
  mode         = "atomic"
  retry_window = "24h"
  retain       = "72h"
  response     = "reference"
  allow        = { entity-key-repeats = "this refunds in full" }
}

# One press of the button: what is reserved, charged elsewhere, and recorded.
idempotency "create_payment" {
  unit          = "request"
  mode          = "phased"
  scope         = { tenant_id = bigint }
  lease         = "1s"
  rpc_timeout   = "500ms"
  retry_window  = "24h"
  retain        = "72h"
  audit_expired = true
  phase "reserve" {}
  phase "charge" {
    external = true
    result   = jsonb
  }
  phase "record" {}
}

# Two calls, nothing kept, and an answer that stands elsewhere.
idempotency "ship_parcel" {
  unit         = "entity"
  key          = { order_id = bigint }
  mode         = "phased"
  lease        = "30s"
  retry_window = "24h"
  retain       = "72h"
  response     = "reference"
  allow        = { entity-key-repeats = "an order is shipped once" }
  phase "label" { external = true }
  phase "pickup" { external = true }
  phase "note" {}
}
