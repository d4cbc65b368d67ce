table "payments" {
  column "id" { type = uuid }
  column "provider_ref" { type = text } # WARNING business-key "looks like a name that is given once"
  primary_key { columns = [id] }
}
idempotency "forgets" {
  unit         = "request"
  retry_window = "24h"
  retain       = "24h" # ERROR retain-too-short "not longer than callers try again.*a second time.*retain = \"3d\""
}
idempotency "tight" {
  unit         = "request"
  retry_window = "24h"
  retain       = "47h" # WARNING retain-short "less than twice.*retain = \"3d\""
}
idempotency "tight_and_meant" {
  unit         = "request"
  retry_window = "24h"
  retain       = "47h"
  allow        = { retain-short = "callers stop by themselves" }
}
idempotency "outlived" {
  unit         = "request"
  mode         = "phased"
  lease        = "30s" # ERROR lease-too-short "not longer than a call.*calls a second time.*lease = \"2m\""
  rpc_timeout  = "30s"
  retry_window = "24h"
  retain       = "48h"
  phase "charge" { external = true }
  phase "record" {}
}
idempotency "entity" {
  unit         = "entity" # WARNING entity-key-repeats "built from \"provider_ref\" alone.*is not done"
  key          = { provider_ref = text }
  retry_window = "24h"
  retain       = "72h"
}
idempotency "no_key" {
  unit         = "entity" # ERROR idempotency-key "nothing says what names one"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "two_keys" {
  unit         = "request" # ERROR idempotency-key "the block names another one"
  key          = { id = uuid }
  retry_window = "24h"
  retain       = "72h"
}
idempotency "no_phase" { # ERROR idempotency-phases "has no phase"
  unit         = "request"
  mode         = "phased"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "phases" { # ERROR idempotency-phases "atomic and has phases"
  unit         = "request"
  retry_window = "24h"
  retain       = "72h"
  phase "charge" { external = true }
}
idempotency "no_lease" { # ERROR idempotency-phases "needs a lease"
  unit         = "request"
  mode         = "phased"
  retry_window = "24h"
  retain       = "72h"
  phase "charge" { external = true }
}
idempotency "ends_outside" { # ERROR idempotency-phases "The last phase, \"charge\", is external.*every retry"
  unit         = "request"
  mode         = "phased"
  lease        = "2m"
  retry_window = "24h"
  retain       = "72h"
  phase "charge" { external = true }
}
idempotency "leased" { # ERROR idempotency-phases "atomic and has a lease"
  unit         = "request"
  lease        = "2m"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "keeps" {
  unit         = "request"
  mode         = "phased"
  lease        = "2m"
  retry_window = "24h"
  retain       = "72h"
  phase "charge" { # ERROR idempotency-phases "no jsonb"
    external = true
    result   = bigint
  }
  phase "record" { result = jsonb } # ERROR idempotency-phases "nothing would read the result"
}
idempotency "spelled_in_many_ways" {
  unit         = "request"
  scope        = { at = timestamptz } # ERROR idempotency-key "\"at\" is timestamp with time zone.*two keys for one effect"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "taken_names" {
  unit         = "request"
  scope        = { fence = bigint } # ERROR idempotency-key "\"fence\" is a column"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "charge_card" { # WARNING atomic-effect "\"charge\" in its name.*once for each try.*phase \"charge\" \\{ external"
  unit         = "request"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "welcome_email" { # WARNING atomic-effect "\"email\" in its name"
  unit         = "request"
  mode         = "atomic"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "send_receipt" {
  unit         = "request"
  retry_window = "24h"
  retain       = "72h"
  allow        = { atomic-effect = "it enqueues" }
}
idempotency "create_post" { # rows of a weblog
  unit         = "request"
  retry_window = "24h"
  retain       = "72h"
}
idempotency "send_money" {
  unit         = "request"
  mode         = "phased"
  lease        = "2m"
  retry_window = "24h"
  retain       = "72h"
  phase "charge" { external = true }
  phase "record" {}
}
inbox "nobody" {
  source = " " # ERROR inbox-source "without a name.*source = \"stripe\""
  retain = "14d"
}
