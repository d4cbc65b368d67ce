table "lines" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "price" { type = integer }
  column "twice" {
    type      = integer
    generated = "price * 2"
  }
  column "half" {
    type      = integer
    generated = "price / 2"
  }
  column "again" {
    type      = integer
    generated = "twice * 2" # ERROR generated-column "write what \"twice\" is made of"
  }
  column "itself" {
    type      = integer
    generated = "itself + 1" # ERROR generated-column "mentions itself"
  }
  column "late" {
    type      = timestamptz
    generated = "now()" # ERROR not-immutable "now()"
  }
  column "both" {
    type      = integer
    default   = 0
    generated = "price" # ERROR generated-column "leave the default out"
  }
  column "numbered" {
    type      = bigint
    identity  = "always"
    generated = "price" # ERROR generated-column "leave the identity out"
  }
  column "fixed" {
    type      = integer
    immutable = true
    generated = "price + 1" # ERROR generated-column "make price immutable instead"
  }
  column "state" {
    type      = text
    generated = "CASE WHEN price > 0 THEN 'sold' ELSE 'free' END"
  }
  column "count" {
    type      = integer
    collation = "C" # ERROR wrong-type "no collation"
  }
  primary_key { columns = [id] }
  no_duplicates "twice" { columns = [twice] }
  foreign_key "other" {
    columns    = [twice]
    references = table.lines.no_duplicates.twice
    on_update  = "cascade" # ERROR reference-action "is generated"
  }
  edit "double" { columns = [twice] } # ERROR fixed-column "computed by the server"
  adjust "double" { set = { half = "half + 1" } } # ERROR fixed-column "computed by the server"
  upsert "line" {
    key    = no_duplicates.twice # ERROR fixed-column "computed by the server"
    mode   = "converge"
    update = [price]
  }
  transitions "state" {
    column  = state # ERROR fixed-column "computed by the server"
    initial = ["free"]
    final   = ["sold"]
    move "sell" {
      from = ["free"]
      to   = "sold"
    }
  }
}
table "numbered" {
  column "n" { type = integer }
  column "m" {
    type      = integer
    generated = "n + 1"
  }
  primary_key { columns = [m] }
  adjust "up" { set = { n = "n + 1" } } # ERROR fixed-column "primary key"
}
table "texts" {
  column "id" {
    type    = bigint
    comment = "a\u0000b" # ERROR wrong-type "NUL character"
  }
  column "name" {
    type    = text
    default = "\u0000" # ERROR wrong-type "NUL character"
  }
  primary_key { columns = [id] }
}
