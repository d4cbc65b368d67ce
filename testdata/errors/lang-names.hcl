table "" { # ERROR invalid-name "(?i)the name of the table is empty"
  column "id" { type = bigint }
}
table "a_table_whose_name_is_far_too_long_for_the_catalog_of_a_postgresq" { # ERROR name-too-long "has 65 bytes; PostgreSQL keeps 63"
  column "ctid" { type = bigint } # ERROR invalid-name "column \"ctid\" already"
  column "ääääääääääääääääääääääääääääääää" { type = text } # ERROR name-too-long "64 bytes"
  column "a\u0000b" { type = text } # ERROR invalid-name "NUL"
}
table "seats" {
  name = "" # ERROR invalid-name "empty"
  column "id" { type = bigint }
}
variable "a b" { default = 1 } # ERROR invalid-name "var.NAME"
enum "e" { values = ["a_value_whose_name_is_far_too_long_for_the_catalog_of_a_postgres"] } # ERROR name-too-long "64 bytes"
