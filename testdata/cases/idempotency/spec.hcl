# Work that is done once in one transaction: for a caller's key within a tenant, and for an entity.
# explain: idempotency.place_order
# explain: idempotency.refund_payment

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
