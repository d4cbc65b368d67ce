table "seats" {
  column "id" {
    type = bigint
# ERROR(-2) syntax "(?i)no closing brace|unclosed"
