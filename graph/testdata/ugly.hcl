pawl {
  project = "ugly"
  schema  = "app"
}
enum "st" { values = ["new", "in progress", "paused", "it's \"done\"; <b>", "dropped"] }
table "Order \"Lines\"" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "parent|id" {
    type = bigint
    null = true
  }
  column "a#35;b %% x" { type = text }
  column "n" { type = bigint }
  column "st" {
    type    = enum.st
    default = "new"
  }
  primary_key { columns = [id] }
  check "n_positive" { expr = "n >= 0" }
  foreign_key "parent" {
    columns    = ["parent|id"]
    references = table["Order \"Lines\""]
    on_delete  = "cascade"
  }
  index "p" { columns = ["parent|id"] }
  transitions "st" {
    column  = st
    initial = ["new"]
    final   = ["it's \"done\"; <b>", "dropped"]
    move "start" {
      from  = ["new", "paused"]
      to    = "in progress"
      guard = "n > 0 AND \"a#35;b %% x\" <> '[x]:y;z -- style:x#y;' AND n < 1000000 AND (n % 2 = 0 OR n::text LIKE '%%{a}%')"
    }
    move "pause" {
      from = ["in progress"]
      to   = "paused"
    }
    move "use" {
      from = ["in progress"]
      to   = "in progress"
      set  = { n = "n - 1" }
    }
    move "finish" {
      from = ["in progress"]
      to   = "it's \"done\"; <b>"
    }
    move "drop" {
      from = ["new", "in progress", "paused"]
      to   = "dropped"
    }
  }
}
