# Payments that happen once, whoever asks how often, and whatever fails in between.
pawl {
  project  = "payments"
  postgres = 14
  schema   = "payments"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "payment_status" { values = ["pending", "captured", "declined", "refunded"] }

table "payments" {
  column "order_id" { type = bigint }
  column "cents" { type = bigint }
  column "status" {
    type    = enum.payment_status
    default = "pending"
  }
  column "provider_ref" {
    type = text
    null = true
  }
  primary_key { columns = [order_id] }
  check "cents_positive" { expr = "cents > 0" }

  transitions "status" {
    column  = status
    initial = ["pending"]
    final   = ["declined", "refunded"]
    enforce = "database"
    move "capture" {
      from = ["pending"]
      to   = "captured"
      args = { provider_ref = text }
      set  = { provider_ref = "@provider_ref" }
    }
    move "decline" {
      from = ["pending"]
      to   = "declined"
    }
    move "refund" {
      from = ["captured"]
      to   = "refunded"
    }
  }
}

# One press of the button. The provider is asked before it is called a second time.
idempotency "create_payment" {
  unit         = "request"
  mode         = "phased"
  lease        = "2s"
  rpc_timeout  = "500ms"
  retry_window = "24h"
  retain       = "72h"
  response     = "body"
  phase "reserve" {}
  phase "charge" {
    external = true
    result   = jsonb
  }
  phase "record" {}
}

# An order is refunded in full once, whoever asks.
idempotency "refund_payment" {
  unit         = "entity"
  key          = { order_id = bigint }
  mode         = "atomic"
  retry_window = "24h"
  retain       = "72h"
  allow        = { entity-key-repeats = "this refunds in full" }
}

# What the provider says of its charges: each message once or more, and in any order.
inbox "provider_events" {
  source = "provider"
  retain = "14d"
}

table "provider_view" {
  comment = "What the provider has said of an order last."
  column "order_id" { type = bigint }
  column "version" { type = bigint }
  column "status" { type = text }
  primary_key { columns = [order_id] }
  upsert "apply" { # an older message never wins
    key     = primary_key
    mode    = "versioned"
    version = version
    update  = [status]
  }
}

table "messages" {
  comment     = "Every message of the provider's, as it was worked on."
  append_only = true
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "message_id" { type = text }
  primary_key { columns = [id] }
}
