# Columns that the server computes: in a key, in a check, in an overlap; and a collation.
# explain: table.lines.adjust.order
# explain: table.lines.edit.rename
# explain: table.visits.no_overlap.one_at_a_time

pawl {
  project  = "generated"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "lines" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "slug" {
    type      = text
    generated = "lower(name)"
  }
  column "name" {
    type      = text
    collation = "C"
  }
  column "price" { type = numeric(12, 2) }
  column "amount" {
    type    = integer
    default = 0
  }
  column "total" {
    type      = numeric(12, 2)
    generated = "price * amount"
  }
  primary_key { columns = [id] }
  no_duplicates "slug" { columns = [slug] }
  check "affordable" { expr = "total <= 1000" }
  adjust "order" {
    args = { more = integer }
    set  = { amount = "amount + @more" }
  }
  edit "rename" { columns = [name] }
}

table "visits" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room" { type = text }
  column "floor" {
    type      = integer
    generated = "length(room)"
  }
  column "arrives_at" { type = timestamptz }
  column "leaves_at" { type = timestamptz }
  column "during" {
    type      = tstzrange
    generated = "tstzrange(arrives_at, leaves_at)"
  }
  column "gone" {
    type      = boolean
    generated = "length(room) = 0"
  }
  primary_key { columns = [id] }
  no_overlap "one_at_a_time" {
    within = [floor]
    range  = during
    where  = "NOT gone"
  }
}
