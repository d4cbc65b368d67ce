table "notes" {
  column "id" { type = bigint }
  column "body" { type = jsonb }
  column "place" { type = point }
  primary_key { columns = [id] }
  no_duplicates "place" { columns = [place] } # ERROR key-type "point has no order"
  index "place_index" { columns = [place] } # ERROR key-type "which an index cannot hold"
  no_duplicates "body" { columns = [body] }
  no_duplicates "nothing" { columns = [sql("lower('A')")] } # ERROR key-without-column "the same for every row"
}
