# A uuid is a Go type of the project's choosing, in rows, keys, arguments and lists.
# codegen/golang/uuids_live_test.go calls what is generated.
# explain: table.parcels
pawl {
  project  = "uuid"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out        = "store"
  package    = "store"
  runtime    = "github.com/pawldb/pawl/pawl"
  race_tests = true
  uuid       = "github.com/google/uuid.UUID"
}

generate "sql" { out = "schema.sql" }

domain "tracking" { type = uuid }

table "parcels" {
  column "id" {
    type    = uuid
    default = sql("gen_random_uuid()")
  }
  column "uuid" { type = domain.tracking }
  column "sender" {
    type = uuid
    null = true
  }
  column "stops" {
    type    = list(uuid)
    default = sql("'{}'")
  }
  column "hints" {
    type              = list(uuid)
    null              = true
    elements_nullable = true
  }
  column "theirs" {
    type = uuid
    null = true
    go { type = "string" }
  }
  column "weight" {
    type    = integer
    default = 1
  }
  primary_key { columns = [id] }
  no_duplicates "tracking" { columns = [uuid] }
  index "by_sender" { columns = [sender] }
  check "weight" { expr = "weight > 0" }
  adjust "add" {
    args = { grams = integer }
    set  = { weight = "weight + @grams" }
  }
  edit "route" { columns = [stops, hints, sender, theirs] }
  edit "route_all" {
    columns = [stops, hints]
    rows    = "many"
  }
  upsert "arrive" {
    key    = no_duplicates.tracking
    mode   = "converge"
    update = [stops, sender]
  }
}

queue "scans" {
  lease = "1m"
  column "parcel" { type = uuid }
  column "seen" { type = list(uuid) }
}

idempotency "send" {
  unit         = "entity"
  mode         = "atomic"
  key          = { parcel = uuid }
  retain       = "1h"
  retry_window = "5m"
}
