table "accounts" {
  column "id" { type = bigint }
  column "email" { type = text }
  column "work_email" { type = varchar(200) }
  column "home_email" { type = text }
  column "email_count" { type = bigint }
  primary_key { columns = [id] }
  no_duplicates "email" { columns = [email] } # WARNING case-sensitive-email "takes \"email\" as it was typed.*two accounts by a capital letter.*sql\\(\"lower\\(email\\)\"\\)"
  no_duplicates "work" {
    columns = [id, work_email]
    allow   = { case-sensitive-email = "addresses are stored in lower case" }
  }
  no_duplicates "folded" { columns = [sql("lower(email)")] }
  no_duplicates "count" { columns = [email_count] }
  check "home_lower" { expr = "home_email = lower(home_email)" }
  no_duplicates "home" { columns = [home_email] }
}
