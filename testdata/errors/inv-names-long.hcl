table "a_table_with_a_name_of_forty_seven_characters_" {
  column "id" { type = bigint }
  column "during" { type = tstzrange }
  primary_key { columns = [id] }
  no_duplicates "and_a_key_with_a_long_name" { columns = [id, during] } # ERROR name-too-long "10 bytes too long.*cut it silently"
  no_overlap "period_one" { # ERROR name-too-long "1 byte too long.*bounds check" ERROR name-too-long "2 bytes too long.*prelock"
    range = during
  }
}
