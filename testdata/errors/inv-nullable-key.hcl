# A unique index takes two NULLs for different values.
table "accounts" {
  column "id" { type = bigint }
  column "email" {
    type = text
    null = true
  }
  column "phone" {
    type = text
    null = true
  }
  primary_key { columns = [id] }

  no_duplicates "email" { columns = [email] } # ERROR nullable-key "\"email\" may be NULL.*both succeed.*nulls = \"distinct\""
  no_duplicates "lower_email" { columns = [id, sql("lower(email)")] } # ERROR nullable-key "\"email\" may be NULL"

  # A predicate that leaves the NULLs out says enough.
  no_duplicates "phone" {
    columns = [phone]
    where   = "id > 0 AND phone IS NOT NULL"
  }

  # An expression that turns NULL into a value is never NULL.
  no_duplicates "coalesced" { columns = [id, sql("coalesce(email, '')")] }
  no_duplicates "told" { columns = [id, sql("email IS NULL")] }
  no_duplicates "both" { columns = [id, sql("coalesce(email, phone)")] } # ERROR nullable-key "\"email\" may be NULL"
}
