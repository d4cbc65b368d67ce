table "seats" {
  column "id" {
    type = bigint
    type = text # ERROR duplicate-attribute "(?i)already set"
  }
}
