table "counters" {
  column "n" { type = bigint }
  adjust "a" {
    args = { q = bigint, q = text } # ERROR duplicate-name "names \"q\" twice"
    set  = { n = 1 } # ERROR wrong-type "SQL text.*in quotes: \"1\""
  }
  adjust "b" { set = {} } # ERROR empty-list "assigns no column"
  adjust "c" { set = "n + 1" } # ERROR wrong-type "must be an object.*COLUMN"
  adjust "d" { set = { n = null } } # ERROR wrong-type "it is null.*\"NULL\""
  adjust "e" { set = { n = "1", n = "2" } } # ERROR duplicate-name "names \"n\" twice"
  adjust "f" {
    args = { "a b" = bigint } # ERROR invalid-name "@name"
    set  = { n = n + 1 } # ERROR unknown-reference "Nothing is named \"n\".*SQL is text"
  }
  adjust "g" {
    args = { q = "bigint" } # ERROR wrong-type "without quotes: bigint"
    set  = { (7) = "1" } # ERROR wrong-type "must be a name"
  }
  check "h" { expr = n > 0 } # ERROR unknown-reference "SQL is text.*expr = \"…\""
}
