table "tokens" {
  column "id" { type = bigint }
  column "score" { type = double_precision }
  column "token" { type = uuid }
  primary_key { columns = [id] }
  check "score" { expr = "score < 1" }
  adjust "roll" { set = { score = "random()" } } # ERROR volatile-function "another one would be stored"
  adjust "renew" { set = { token = "gen_random_uuid()" } }
}
