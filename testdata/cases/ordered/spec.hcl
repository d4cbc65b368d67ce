# Positions that move: cards in a list, and rows with a key of two columns and a
# version.
# explain: table.cards.ordered.position
# explain: table.tracks.ordered.place

pawl {
  project  = "ordered"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "cards" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "list_id" { type = bigint }
  column "title" { type = text }
  column "position" { type = integer }
  primary_key { columns = [id] }
  ordered "position" {
    per    = [list_id]
    column = position
  }
}

table "tracks" {
  version = version
  column "album" { type = text }
  column "n" { type = bigint }
  column "place" { type = bigint }
  column "version" {
    type    = bigint
    default = 1
  }
  primary_key { columns = [album, n] }
  ordered "place" {
    per    = [album]
    column = place
  }
}
