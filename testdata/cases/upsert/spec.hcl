# Rows that come more than once, in each of the four modes, and by every kind of
# key.
# explain: table.events.upsert.take
# explain: table.accounts.upsert.put
# explain: table.accounts.upsert.join
# explain: table.balances.upsert.apply
# explain: table.coupons.upsert.issue

pawl {
  project  = "upsert"
  postgres = 15
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "tier" { values = ["basic", "gold"] }

# The key is an expression, and another one covers a part of the rows alone.
table "accounts" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "email" { type = text }
  column "handle" { type = text }
  column "tier" {
    type    = enum.tier
    default = "basic"
  }
  column "tags" {
    type = list(text)
    null = true
  }
  column "limit" {
    type = numeric(12, 2)
    null = true
  }
  column "seen_at" {
    type    = timestamptz
    default = sql("now()")
  }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  live = "deleted_at IS NULL"
  primary_key { columns = [id] }
  no_duplicates "email" { columns = [sql("lower(email)")] }
  no_duplicates "handle" { columns = [handle] }

  upsert "put" {
    key    = no_duplicates.email
    mode   = "converge"
    update = [email, tier, tags, limit, seen_at]
  }
  upsert "join" {
    key  = no_duplicates.handle
    mode = "ignore"
    allow = {
      silent-loss = "the outcome is counted"
    }
  }
}

# Messages about a balance come in any order.
table "balances" {
  column "account" { type = text }
  column "currency" {
    type = text
    null = true
  }
  column "version" { type = bigint }
  column "amount" { type = numeric(14, 2) }
  column "note" {
    type = text
    null = true
  }
  no_duplicates "account" {
    columns = [account, currency]
    nulls   = "not_distinct"
  }
  upsert "apply" {
    key     = no_duplicates.account
    mode    = "versioned"
    version = version
    update  = [amount, note]
  }
}

table "coupons" {
  column "user_id" { type = bigint }
  column "code" { type = text }
  primary_key { columns = [code] }
  no_duplicates "once_per_user" { columns = [user_id, code] }
  upsert "issue" {
    key  = no_duplicates.once_per_user
    mode = "reject"
  }
}

# What comes in twice is taken once.
table "events" {
  column "source" { type = text }
  column "message" { type = text }
  column "body" { type = jsonb }
  primary_key { columns = [source, message] }
  upsert "take" {
    key   = primary_key
    mode  = "ignore"
    batch = "first"
    allow = { silent-loss = "the outcome is counted" }
  }
}
