# Names that need quotes in SQL and another spelling in Go: keywords, predeclared names, signs, digits, other scripts.
# explain: table.select
# explain: table["Order Lines"].no_duplicates.func

pawl {
  project  = "odd-names"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "select" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "type" { type = text }
  column "range" { type = text }
  column "ctx" { type = text }
  column "error" { type = text }
  column "any" { type = text }
  column "user" { type = text }
  column "URL" { type = text }
  primary_key { columns = [id] }
  no_duplicates "type" { columns = [type] }
  check "default" { expr = "\"user\" <> ''" }
  edit "switch" { columns = [range, ctx, error, any, user] }
}

table "Order Lines" {
  column "2nd" { type = bigint }
  column "Größe" { type = text }
  column "a\"b" { type = text }
  column "c%d" { type = text }
  column "用户" { type = text }
  primary_key { columns = ["2nd"] }
  no_duplicates "func" { columns = ["Größe"] }
  index "von ihm" { columns = ["a\"b"] }
  go { row = "OrderLine" }
}
