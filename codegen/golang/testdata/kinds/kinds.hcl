# One column of every type of the language, and one of each that may be NULL.
pawl {
  project  = "kinds"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
}

enum "colour" { values = ["red", "dark green"] }

table "kinds" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "a_smallint" { type = smallint }
  column "maybe_a_smallint" {
    type = smallint
    null = true
  }
  column "a_integer" { type = integer }
  column "maybe_a_integer" {
    type = integer
    null = true
  }
  column "a_bigint" { type = bigint }
  column "maybe_a_bigint" {
    type = bigint
    null = true
  }
  column "a_boolean" { type = boolean }
  column "maybe_a_boolean" {
    type = boolean
    null = true
  }
  column "a_real" { type = real }
  column "maybe_a_real" {
    type = real
    null = true
  }
  column "a_double_precision" { type = double_precision }
  column "maybe_a_double_precision" {
    type = double_precision
    null = true
  }
  column "a_numeric" { type = numeric(12, 3) }
  column "maybe_a_numeric" {
    type = numeric(12, 3)
    null = true
  }
  column "a_text" { type = text }
  column "maybe_a_text" {
    type = text
    null = true
  }
  column "a_varchar_40" { type = varchar(40) }
  column "maybe_a_varchar_40" {
    type = varchar(40)
    null = true
  }
  column "a_uuid" { type = uuid }
  column "maybe_a_uuid" {
    type = uuid
    null = true
  }
  column "a_timestamptz" { type = timestamptz }
  column "maybe_a_timestamptz" {
    type = timestamptz
    null = true
  }
  column "a_date" { type = date }
  column "maybe_a_date" {
    type = date
    null = true
  }
  column "a_time" { type = time }
  column "maybe_a_time" {
    type = time
    null = true
  }
  column "a_interval" { type = interval }
  column "maybe_a_interval" {
    type = interval
    null = true
  }
  column "a_bytea" { type = bytea }
  column "maybe_a_bytea" {
    type = bytea
    null = true
  }
  column "a_jsonb" { type = jsonb }
  column "maybe_a_jsonb" {
    type = jsonb
    null = true
  }
  column "a_inet" { type = inet }
  column "maybe_a_inet" {
    type = inet
    null = true
  }
  column "a_cidr" { type = cidr }
  column "maybe_a_cidr" {
    type = cidr
    null = true
  }
  column "a_tstzrange" { type = tstzrange }
  column "maybe_a_tstzrange" {
    type = tstzrange
    null = true
  }
  column "a_daterange" { type = daterange }
  column "maybe_a_daterange" {
    type = daterange
    null = true
  }
  column "a_int4range" { type = int4range }
  column "maybe_a_int4range" {
    type = int4range
    null = true
  }
  column "a_int8range" { type = int8range }
  column "maybe_a_int8range" {
    type = int8range
    null = true
  }
  column "a_numrange" { type = numrange }
  column "maybe_a_numrange" {
    type = numrange
    null = true
  }
  column "a_enum_colour" { type = enum.colour }
  column "maybe_a_enum_colour" {
    type = enum.colour
    null = true
  }
  column "a_list_enum_colour" { type = list(enum.colour) }
  column "maybe_a_list_enum_colour" {
    type = list(enum.colour)
    null = true
  }
  column "a_list_text" { type = list(text) }
  column "maybe_a_list_text" {
    type = list(text)
    null = true
  }
  column "a_list_bigint" { type = list(bigint) }
  column "maybe_a_list_bigint" {
    type = list(bigint)
    null = true
  }
  column "a_list_uuid" { type = list(uuid) }
  column "maybe_a_list_uuid" {
    type = list(uuid)
    null = true
  }
  column "given" {
    type    = list(enum.colour)
    default = sql("ARRAY['red']::app.colour[]")
  }
  primary_key { columns = [id] }
  edit "repaint" { columns = [a_enum_colour, maybe_a_numeric, a_tstzrange, a_jsonb] }
}
