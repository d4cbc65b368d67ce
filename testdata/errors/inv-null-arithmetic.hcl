table "items" {
  column "id" { type = bigint }
  column "n" {
    type = bigint
    null = true
  }
  column "m" {
    type = bigint
    null = true
  }
  column "kept" {
    type = bigint
    null = true
  }
  column "state" { type = text }
  primary_key { columns = [id] }
  check "n" { expr = "n >= 0" }
  check "kept" { expr = "kept IS NOT NULL" }

  adjust "add" {
    args = { by = bigint }
    set  = { n = "n + @by" } # WARNING null-arithmetic "the amount is lost.*coalesce\\(n, 0\\).*IS NOT NULL"
  }
  adjust "other" { set = { n = "coalesce(n, 0) + m" } } # WARNING null-arithmetic "\"m\" may be NULL"
  adjust "meant" {
    allow = { null-arithmetic = "no number stays none" }
    set   = { n = "n + 1" }
  }
  adjust "either" {
    set   = { n = "n + 1" } # WARNING null-arithmetic "\"n\" may be NULL"
    guard = "n > 0 OR id > 7"
  }
  # These are fine.
  adjust "coalesced" { set = { n = "coalesce(n, 0) + 1" } }
  adjust "inside" { set = { n = "coalesce(n + 1, 1)" } }
  adjust "guarded" {
    set   = { n = "n + 1" }
    guard = "n IS NOT NULL"
  }
  adjust "compared" {
    set   = { n = "n - 1" }
    guard = "id > 0 AND n >= 1"
  }
  adjust "checked" { set = { kept = "kept + 1" } }
  adjust "copied" { set = { n = "m" } }

  transitions "state" {
    column  = state
    initial = ["a"]
    final   = ["b"]
    move "go" {
      from = ["a"]
      to   = "b"
      set  = { m = "m * 2" } # WARNING null-arithmetic "\"m\" may be NULL"
    }
  }
}
