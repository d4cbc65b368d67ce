# Every block and attribute that works in this version, each once at least.
pawl {
  project          = "full"
  required_version = ">= 0.1.0, < 2"
  postgres         = 15
  schema           = "app"
  app_role         = "app"
  advisory_class   = 4201
}

generate "go" {
  out        = "store"
  package    = "store"
  runtime    = "copy"
  adapters   = ["slog", "otel"]
  race_tests = true
  uuid       = "github.com/google/uuid.UUID"
}

generate "sql" {
  out = "schema.sql"
}

variable "lease" {
  type        = string
  default     = "5m"
  description = "How long a worker holds a task."
  validation {
    condition     = var.lease != ""
    error_message = "A lease has a number and a unit."
  }
}

locals {
  money = numeric(12, 2)
}

enum "state" {
  values = ["held", "confirmed"]
  comment = "What becomes of a booking."
  schema = "kinds"
  name   = "booking_state"
  allow  = { discouraged-type = "an old project" }
  lifecycle {
    prevent_destroy = true
    ignore_changes  = [comment]
  }
}

domain "amount" {
  type    = numeric(12, 2)
  default = 0
  schema  = "kinds"
  name    = "money_amount"
  comment = "What is paid."
  allow   = { discouraged-type = "an old project" }
  check "positive" {
    expr  = "value >= 0"
    name  = "amount_positive"
    allow = { discouraged-type = "an old project" }
  }
}

table "rooms" {
  schema      = "places"
  name        = "meeting_rooms"
  comment     = "A room."
  live        = "gone_at IS NULL"
  append_only = true
  version     = id
  allow       = { discouraged-type = "an old project" }

  column "id" {
    type      = bigint
    null      = true
    default   = 7
    identity  = "always"
    comment   = "The number on the door."
    generated = "id + 1"
    collation = "C"
    immutable = true
    elements_nullable = true
    allow     = { discouraged-type = "an old project" }
    go {
      name  = "Number"
      type  = "example.com/rooms.Number"
      allow = { discouraged-type = "an old project" }
    }
  }
  column "during" {
    type    = tstzrange
    default = sql("'empty'")
  }

  primary_key {
    columns = [id]
    name    = "rooms_pk"
    allow   = { discouraged-type = "an old project" }
  }
  foreign_key "next" {
    columns    = [id]
    references = table.rooms.no_duplicates.one
    on_delete  = "cascade"
    on_update  = "no action"
    name       = "rooms_next_fk"
    allow      = { discouraged-type = "an old project" }
  }
  check "positive" {
    expr  = "id > 0"
    since = "id > 7"
    name  = "rooms_positive_ck"
    allow = { discouraged-type = "an old project" }
  }
  index "by_time" {
    columns = [opclass(nulls_first(desc(during)), "range_ops"), nulls_last(id), sql("lower(during)")]
    method  = "btree"
    where   = "id > 0"
    include = [id]
    name    = "rooms_time_idx"
    allow   = { discouraged-type = "an old project" }
  }
  no_duplicates "one" {
    columns    = [id, sql("lower(during)")]
    where      = "id > 0"
    since      = "id > 7"
    nulls      = "not_distinct"
    deferrable = true
    name       = "rooms_one_uq"
    allow      = { discouraged-type = "an old project" }
  }
  no_overlap "apart" {
    within         = [id]
    range          = during
    capacity       = 1
    bounds         = "[)"
    where          = "id > 0"
    since          = "id > 7"
    prelock        = true
    allow_empty    = true
    allow_infinite = true
    name           = "rooms_apart_ex"
    allow          = { discouraged-type = "an old project" }
  }
  no_overlap "two_columns" { range = { from = id, to = during, bounds = "[]" } }
  transitions "state" {
    name    = "rooms_moves"
    column  = id
    initial = ["held"]
    final   = ["confirmed"]
    enforce = "database"
    repeat  = "noop"
    since   = "id > 7"
    allow   = { discouraged-type = "an old project" }
    move "confirm" {
      name        = "confirm_it"
      wait        = "nowait"
      transaction = transaction.hot
      from  = ["held"]
      to    = "confirmed"
      args  = { price = local.money, tags = list(text), state = enum.state, cost = domain.amount, path = type("ltree") }
      guard = "id > 0"
      set   = { id = "id + 1" }
      allow = { discouraged-type = "an old project" }
    }
  }
  adjust "shift" {
    name        = "shift_by"
    wait        = "1s"
    set         = { id = "id + @n" }
    args        = { n = bigint }
    guard       = "id < 100"
    positive    = [n]
    transaction = transaction.hot
    allow       = { discouraged-type = "an old project" }
  }
  upsert "sync" {
    name        = "synchronize"
    key         = no_duplicates.one
    mode        = "versioned"
    version     = id
    update      = [during]
    batch       = "last"
    transaction = transaction.hot
    allow       = { discouraged-type = "an old project" }
  }
  limit "places" {
    name  = "seats"
    per   = [id]
    max   = table.rooms.column.id
    sum   = id
    where = "id > 0"
    since = "id > 7"
    allow = { discouraged-type = "an old project" }
  }
  limit "tables" {
    per = [id]
    max = 3
  }
  sequence "numbers" {
    name    = "room_numbers"
    per     = [during]
    column  = id
    gapless = true
    allow   = { discouraged-type = "an old project" }
  }
  ordered "position" {
    name   = "room_positions"
    per    = [during]
    column = id
    allow  = { discouraged-type = "an old project" }
  }
  at_least_one "used" {
    name   = "used_room"
    per    = [during]
    where  = "id > 0"
    parent = table.rooms
    allow  = { discouraged-type = "an old project" }
  }
  exactly_one "chief" {
    name   = "chief_room"
    per    = [during]
    where  = "id > 0"
    parent = table.rooms
    allow  = { discouraged-type = "an old project" }
  }
  at_most_one "main" {
    name  = "main_room"
    per   = [during]
    where = "id > 0"
    since = "id > 7"
    allow = { discouraged-type = "an old project" }
  }
  edit "renumber" {
    name        = "give_number"
    columns     = [id]
    rows        = "one"
    wait        = "500ms"
    transaction = transaction.hot
    allow       = { discouraged-type = "an old project" }
  }
  go {
    name  = "RoomStore"
    row   = "MeetingRoom"
    allow = { discouraged-type = "an old project" }
  }
}

queue "tasks" {
  name      = "work_tasks"
  lease     = var.lease
  heartbeat = "1m"
  attempts  = 10
  retain    = "7d"
  schema    = "work"
  comment   = "Things to do."
  allow     = { discouraged-type = "an old project" }
  column "part" {
    for_each = toset([])
    name     = "${each.key}_part"
    type     = text
  }
  column "kind" {
    type    = text
    null    = true
    default = "mail"
    elements_nullable = true
    collation = "C"
    comment = "What to do."
    allow   = { discouraged-type = "an old project" }
    go { name = "Kind" }
  }
  backoff {
    base   = "1s"
    max    = "10m"
    jitter = "full"
    allow  = { discouraged-type = "an old project" }
  }
  group {
    by    = [kind]
    head  = "skip"
    allow = { discouraged-type = "an old project" }
  }
  go {
    name = "Tasks"
    row  = "Task"
  }
}

singleton "relay" {
  name  = "outbox_relay"
  key   = 1
  scope = "transaction"
  allow = { discouraged-type = "an old project" }
}

singleton "scheduler" {
  key     = 2
  scope   = "leader"
  lease   = "15s"
  session = true
}

transaction "hot" {
  isolation         = "serializable"
  lock_timeout      = "1s"
  statement_timeout = "30s"
  idle_timeout      = "60s"
  allow             = { discouraged-type = "an old project" }
  retry {
    attempts = 5
    base     = "10ms"
    max      = "1s"
    budget   = "10s"
    on       = ["40001"]
    allow    = { discouraged-type = "an old project" }
  }
}

module "extra" { source = "./extra" }

data "table" "users" {
  schema = "auth"
  name   = "accounts"
  column "id" {
    for_each = toset(["x"])
    name     = "${each.key}_id"
    type     = bigint
  }
  column "email" {
    type = text
    null = true
  }
  primary_key { columns = [x_id] }
  no_duplicates "email" {
    name    = "users_email"
    columns = [email]
  }
}

table "repeated" {
  live = ["held"]
  for_each = toset(["x"])
  name     = "${each.key}_repeated"
  allow    = { discouraged-type = "an old project" }
  column "n" {
    for_each = toset(["x"])
    name     = "${each.key}_n"
    type     = bigint
  }
  column "user_id" { type = bigint }
  foreign_key "user" {
    columns    = [user_id]
    references = data.table.users
  }
}

policy "money" {
  each     = columns
  when     = endswith(each.name, "_amount")
  require  = each.base_type == "numeric"
  message  = "${each.address} holds money."
  severity = "warning"
}

rule "someone" {
  name    = "someone_there"
  holds   = "SELECT count(*) >= 1 FROM t WHERE id = @id"
  on      = { t = [id, during] }
  args    = { id = bigint }
  parent  = table.rooms
  enforce = "database"
  allow   = { discouraged-type = "an old project" }
  operation "leave" {
    name        = "go_away"
    run         = "DELETE FROM t WHERE id = @id AND during = @during"
    args        = { during = tstzrange }
    transaction = transaction.hot
    allow       = { discouraged-type = "an old project" }
  }
}

idempotency "pay" {
  name          = "pay_once"
  unit          = "entity"
  mode          = "phased"
  key           = { payment_id = uuid }
  scope         = { tenant_id = bigint }
  lease         = "2m"
  rpc_timeout   = "30s"
  retry_window  = "24h"
  retain        = "72h"
  response      = "body"
  wait          = "1s"
  audit_expired = true
  allow         = { discouraged-type = "an old project" }
  phase "charge" {
    external = true
    result   = jsonb
    allow    = { discouraged-type = "an old project" }
  }
}

outbox "events" {
  name      = "sent_events"
  schema    = "work"
  comment   = "What happened."
  aggregate = [id]
  retain    = "3d"
  lease     = "5m"
  heartbeat = "1m"
  attempts  = 10
  allow     = { discouraged-type = "an old project" }
  column "id" { type = bigint }
  backoff {
    base   = "1s"
    max    = "10m"
    jitter = "full"
    allow  = { discouraged-type = "an old project" }
  }
  go {
    name = "Events"
    row  = "Event"
  }
}

inbox "hooks" {
  name   = "stripe_hooks"
  source = "stripe"
  retain = "14d"
  allow  = { discouraged-type = "an old project" }
}

target "production" {
  url          = "postgres://app@pooler/shop"
  admin_url    = "postgres://app@db/shop"
  pooler       = "transaction"
  lock_timeout = "5s"
  protect      = true
}

moved {
  from = table.old["a b"].column.x
  to   = module.log["a"].table.log.no_duplicates["odd label"]
}

removed {
  from    = table.gone.primary_key
  destroy = true
}
