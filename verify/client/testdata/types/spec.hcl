# One column of each type, NOT NULL and NULL and in a list.
# explain: table.everything

pawl {
  project  = "types"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

table "everything" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "small" { type = smallint }
  column "whole" { type = integer }
  column "big" { type = bigint }
  column "exact" { type = numeric }
  column "money" { type = numeric(12, 2) }
  column "single" { type = real }
  column "double" { type = double_precision }
  column "flag" { type = boolean }
  column "words" { type = text }
  column "short" { type = varchar(40) }
  column "bytes" { type = bytea }
  column "day" { type = date }
  column "moment" { type = timestamptz }
  column "moment_ms" { type = timestamptz(3) }
  column "hour" { type = time }
  column "hour_ms" { type = time(3) }
  column "span" { type = interval }
  column "ident" { type = uuid }
  column "document" { type = jsonb }
  column "address" { type = inet }
  column "network" { type = cidr }
  column "mac" { type = macaddr }
  column "bits" { type = bit(8) }
  column "more_bits" { type = varbit(8) }
  column "ints" { type = int4range }
  column "bigs" { type = int8range }
  column "exacts" { type = numrange }
  column "days" { type = daterange }
  column "moments" { type = tstzrange }
  column "tags" { type = list(text) }
  column "numbers" { type = list(bigint) }
  column "idents" { type = list(uuid) }
  column "word_or_null" {
    type = text
    null = true
  }
  column "exact_or_null" {
    type = numeric
    null = true
  }
  column "moment_or_null" {
    type = timestamptz
    null = true
  }
  column "document_or_null" {
    type = jsonb
    null = true
  }
  column "days_or_null" {
    type = daterange
    null = true
  }
  column "tags_or_null" {
    type = list(text)
    null = true
  }
  column "vector" { type = type("tsvector") }
  primary_key { columns = [id] }
  edit "change" { columns = [small, exact, flag, words, moment, span, ident, document, moments, tags, tags_or_null, word_or_null] }
}
