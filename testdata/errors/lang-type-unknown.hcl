table "seats" {
  column "a" { type = bigit } # ERROR unknown-type "no type \"bigit\".*did you mean bigint"
  column "b" { type = ltree } # ERROR unknown-type "type\\(\"ltree\"\\)"
  column "c" { type = string } # ERROR unknown-type "variable's type.*write text"
  column "d" { type = number } # ERROR unknown-type "variable's type.*bigint, numeric"
  column "e" { type = "bigint" } # ERROR wrong-type "without quotes: bigint"
  column "f" { type = "text[]" } # ERROR wrong-type "list\\(text\\)"
  column "g" { type = enum.seat_status } # ERROR unknown-reference "No enum \"seat_status\" is declared.*enum \"seat_status\""
  column "h" { type = enum } # ERROR unknown-reference "\"enum\" alone is no value.*enum.NAME"
  column "i" { type = 7 } # ERROR wrong-type "must be a type, and it is a number"
}
