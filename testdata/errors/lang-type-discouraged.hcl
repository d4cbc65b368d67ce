table "events" {
  column "a" { type = serial } # WARNING discouraged-type "\"serial\" has a trap.*integer, with identity"
  column "b" { type = bigserial } # WARNING discouraged-type "bigint, with identity"
  column "c" { type = money } # WARNING discouraged-type "numeric\\(14, 2\\)"
  column "d" { type = char(3) } # WARNING discouraged-type "\"char\" has a trap.*pads"
  column "e" { type = timetz } # WARNING discouraged-type "daylight"
  column "f" { type = list(timestamp) } # WARNING discouraged-type "time zone.*timestamptz"
  column "g" { type = json } # WARNING discouraged-type "equality.*jsonb"
  column "h" {
    type  = json
    allow = { discouraged-type = "the text is signed and must stay as it came" }
  }
  adjust "shift" {
    args = { at = timestamp } # WARNING discouraged-type "timestamptz"
    set  = { a = "a + 1" }
  }
}
