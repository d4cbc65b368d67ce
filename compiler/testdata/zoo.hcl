# Everything that is legal and unusual: odd names, every family of types, keys of
# several columns, both forms of a range. The tests load and prepare it.
pawl {
  project        = "zoo"
  postgres       = 15
  schema         = "Odd Schema"
  advisory_class = 16383
}

enum "mood" {
  values = ["happy", "it's \"fine\"", "back\\slash", "Größe"]
}

table "select" {
  column "order" {
    type     = bigint
    identity = "by default"
  }
  column "User" { type = text }
  column "quo\"te" { type = text }
  column "größe" {
    type    = numeric(6, 2)
    default = 1.5
  }
  column "moods" {
    type    = list(enum.mood)
    default = sql("'{}'")
  }
  column "mood" {
    type    = enum.mood
    default = "it's \"fine\""
  }
  column "end" {
    type = integer
    null = true
  }
  primary_key { columns = [order] }
  check "a check; with -- oddities" { expr = "\"größe\" > 0 AND \"end\" IS DISTINCT FROM 7" }
  no_duplicates "User" {
    columns = [sql("lower(\"User\")"), mood]
    where   = "\"quo\"\"te\" <> ''"
  }
  no_duplicates "both" {
    columns = [end, User]
    nulls   = "not_distinct"
  }
  transitions "mood" {
    column  = mood
    initial = ["it's \"fine\"", "happy"]
    final   = ["Größe"]
    move "cheer up" {
      from = ["it's \"fine\"", "back\\slash"]
      to   = "happy"
      args = { why = text }
      set  = { User = "@why || ' */ '", "größe" = "\"größe\" * 1.005" }
    }
    move "worry" {
      from = ["happy"]
      to   = "back\\slash"
    }
    move "grow" {
      from = ["happy"]
      to   = "Größe"
      set  = { "größe" = "@größe", end = "@end" }
    }
  }
  adjust "grow" {
    args = { by = numeric }
    set  = { "größe" = "\"größe\" + @by" }
  }
  edit "rename" { columns = [User, "größe"] }
}

table "pairs" {
  name = "a.table"
  column "a" { type = uuid }
  column "b" { type = date }
  column "limit" { type = bigint }
  column "c" {
    type    = boolean
    default = false
  }
  primary_key { columns = [a, b] }
  no_duplicates "late" {
    columns    = [limit]
    deferrable = true
  }
  index "by_limit" { columns = [limit, c] }
  index "newest" { columns = [desc(b), desc(limit)] }
  index "some" {
    columns = [c, limit]
    where   = "c"
  }
  index "expression" { columns = [sql("\"limit\" + 1")] }
  adjust "up" { set = { limit = "\"limit\" + @limit" } }
  edit "flip" {
    columns = [c]
    wait    = "nowait"
  }
  edit "renumber" {
    columns = [limit]
    wait    = "1d250ms"
  }
}

table "kids" {
  column "id" {
    type     = integer
    identity = "always"
  }
  column "a" { type = uuid }
  column "b" { type = date }
  column "from" { type = timestamptz }
  column "to" { type = timestamptz }
  column "nights" { type = daterange }
  column "size" { type = numrange }
  column "state" {
    type    = varchar(10)
    default = "new"
  }
  column "gone" {
    type    = boolean
    default = false
  }
  primary_key { columns = [id] }
  live = "NOT gone"
  foreign_key "pair" {
    columns    = [b, a]
    references = table.swapped
    on_delete  = "cascade"
    allow      = { foreign-key-index = "a test" }
  }
  no_overlap "hours" {
    within = [a, b]
    range  = { from = from, to = to, bounds = "[]" }
  }
  no_overlap "nights" {
    within         = [id]
    range          = nights
    allow_infinite = true
    prelock        = false
  }
  no_overlap "size" {
    range       = size
    bounds      = "[]"
    allow_empty = true
    allow       = { overlap-empty-range = "a test" }
  }
  transitions "state" {
    column  = state
    initial = ["new"]
    final   = ["old"]
    move "age" {
      from = ["new"]
      to   = "old"
    }
  }
}

table "swapped" {
  column "a" { type = uuid }
  column "b" { type = date }
  primary_key { columns = [b, a] }
}

table "types" {
  column "id" {
    type     = smallint
    identity = "always"
  }
  column "c1" { type = varchar(3) }
  column "c2" {
    type  = char(3)
    allow = { discouraged-type = "a test" }
  }
  column "c3" { type = bit(4) }
  column "c4" { type = varbit(8) }
  column "c5" { type = timestamptz(3) }
  column "c6" { type = time(0) }
  column "c7" { type = interval }
  column "c8" { type = bytea }
  column "c9" { type = inet }
  column "c10" { type = list(varchar(3)) }
  column "c11" { type = double_precision }
  column "c12" { type = real }
  column "c13" { type = point }
  column "c14" {
    type  = json
    allow = { discouraged-type = "a test" }
  }
  column "c15" { type = jsonb }
  column "c16" { type = int4multirange }
  column "c17" { type = type("pg_catalog.pg_lsn") }
  column "s" { type = text }
  primary_key { columns = [id] }
  check "json" { expr = "c15 ->> 'a' IS NOT NULL" }
  transitions "s" {
    column  = s
    initial = ["a"]
    final   = ["b"]
    move "go" {
      from = ["a"]
      to   = "b"
      set = {
        c1 = "@c1", c2 = "@c2", c3 = "@c3", c4 = "@c4", c5 = "@c5", c6 = "@c6", c7 = "@c7", c8 = "@c8", c9 = "@c9"
        c10 = "@c10", c11 = "@c11", c12 = "@c12", c13 = "@c13", c14 = "@c14", c15 = "@c15", c16 = "@c16", c17 = "@c17"
      }
    }
  }
}

table "nothing_to_give" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  primary_key { columns = [id] }
}

table "keyless" {
  column "at" { type = timestamptz }
}

queue "My Queue" {
  column "order" {
    type    = bigint
    default = 7
  }
  column "moods" { type = list(enum.mood) }
  lease = "90s"
}

queue "bare" { lease = "1h" }

singleton "a b" { key = -5 }
