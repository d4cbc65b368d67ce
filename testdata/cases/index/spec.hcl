# Indexes: order, expressions, a predicate, included columns, other methods.
# explain: table.events.index.latest

pawl {
  project  = "index"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "events" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "kind" { type = text }
  column "body" { type = jsonb }
  column "happened_at" { type = timestamptz }
  column "seen_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  index "latest" { columns = [kind, desc(happened_at)] }
  index "by_lower_kind" { columns = [sql("lower(kind)"), id] }
  index "unseen" {
    columns = [happened_at]
    where   = "seen_at IS NULL"
    include = [kind]
  }
  index "seen" { columns = [nulls_last(desc(seen_at))] }
  index "by_body" {
    columns = [body]
    method  = "gin"
  }
  index "by_prefix" { columns = [opclass(kind, "text_pattern_ops")] }
}
