# Numbers of each group: invoices without a gap, tickets with gaps.
# explain: table.invoices.sequence.number
# explain: table.tickets.sequence.ref

pawl {
  project  = "sequence"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "invoices" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "shop_id" { type = bigint }
  column "number" { type = bigint }
  column "total" { type = numeric(12, 2) }
  primary_key { columns = [id] }
  sequence "number" {
    per     = [shop_id]
    column  = number
    gapless = true
  }
}

table "tickets" {
  column "id" { type = bigint }
  column "project" { type = text }
  column "year" { type = integer }
  column "ref" { type = integer }
  primary_key { columns = [id] }
  sequence "ref" {
    per    = [project, year]
    column = ref
  }
}
