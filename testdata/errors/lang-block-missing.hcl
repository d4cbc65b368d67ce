table "seats" { # ERROR missing-block "needs a column block.*column \"NAME\" \\{ … \\}"
  comment = "no column"
}
table "rooms" {
  column "status" { type = text }
  transitions "status" { # ERROR missing-block "transitions block needs a move block"
    column  = status
    initial = ["free"]
  }
}
table "halls" {
  colum "id" { type = bigint } # ERROR unknown-block "did you mean column"
}
