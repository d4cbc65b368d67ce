table "carts" {
  column "id" { type = bigint }
  column "revision" { type = bigint }
  column "status" { type = text }
  column "slot" { type = bigint }
  primary_key { columns = [id] }
  no_duplicates "revision" { columns = [id, revision] }
  no_duplicates "status" { columns = [id, status] }
  # No foreign key can rest on a partial key, so that its columns are no keys to PostgreSQL.
  no_duplicates "slot" {
    columns = [slot]
    where   = "status = 'open'"
  }
  transitions "status" {
    column  = status # WARNING hot-key "Each move of transitions \"status\" changes \"status\".*inserts into \"lines\""
    initial = ["open"]
    final   = ["done"]
    move "close" {
      from = ["open"]
      to   = "done"
      set  = { revision = "revision + 1", slot = "slot + 1" } # WARNING hot-key "Move \"close\" changes \"revision\""
    }
  }
  adjust "touch" { set = { revision = "revision + 1" } } # WARNING hot-key "Adjust \"touch\".*FOR UPDATE.*wait until the transaction ends"
  adjust "rarely" {
    set   = { revision = "revision + 2" }
    allow = { hot-key = "once a year" }
  }
  edit "revise" { columns = [revision] }
}
table "lines" {
  column "id" { type = bigint }
  column "cart_id" { type = bigint }
  column "position" { type = bigint }
  primary_key { columns = [id] }
  index "by_cart" { columns = [cart_id] }
  foreign_key "cart" {
    columns    = [cart_id]
    references = table.carts
  }
  # Nothing refers to a line, so nobody waits for the strong lock.
  no_duplicates "position" { columns = [cart_id, position] }
  adjust "shift" { set = { position = "position + 1" } }
}
