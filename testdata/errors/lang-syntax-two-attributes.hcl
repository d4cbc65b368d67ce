# Two attributes on one line are the usual slip of people who know JSON.
table "seats" {
  column "id" { type = bigint null = false } # ERROR syntax "(?i)single-line|newline"
}
