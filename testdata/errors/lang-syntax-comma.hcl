table "seats" {
  column "id" { type = bigint, null = false } # ERROR syntax "(?i)single-line block"
}
