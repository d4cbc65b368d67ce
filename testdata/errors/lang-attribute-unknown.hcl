table "seats" {
  coment = "x" # ERROR unknown-attribute "table block has no attribute \"coment\".*did you mean comment"
  column "id" {
    type     = bigint
    nullable = true # ERROR unknown-attribute "NOT NULL unless it says null = true"
    unique   = true # ERROR unknown-attribute "no_duplicates"
    wibble   = 1 # ERROR unknown-attribute "write one of type, null, elements_nullable, default"
  }
  column = "x" # ERROR unknown-attribute "\"column\" is a block.*without the equals sign"
}
