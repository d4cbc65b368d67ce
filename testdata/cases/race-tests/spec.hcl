# Tests of races beside the package: keys of several kinds, parents, a circle of rows, moves with arguments, edits.
# explain: table.orders.transitions.state.pay

pawl {
  project        = "race-tests"
  postgres       = 14
  schema         = "app"
  advisory_class = 77
}

generate "go" {
  out        = "store"
  package    = "store"
  runtime    = "github.com/pawldb/pawl/pawl"
  race_tests = true
}

generate "sql" { out = "schema.sql" }

enum "order_state" { values = ["cart", "placed", "paid", "void"] }

table "accounts" {
  column "name" { type = varchar(8) }
  column "balance" { type = numeric(12, 2) }
  column "opened" {
    type    = date
    default = sql("current_date")
  }
  primary_key { columns = [name] }
  check "covered" { expr = "balance >= 0" }
  adjust "withdraw" {
    args = { amount = numeric(12, 2) }
    set  = { balance = "balance - @amount" }
  }
}

table "orders" {
  column "region" { type = integer }
  column "number" { type = uuid }
  column "account" { type = varchar(8) }
  column "state" { type = enum.order_state }
  column "paid_by" {
    type = varchar(8)
    null = true
  }
  column "note" {
    type = text
    null = true
  }
  primary_key { columns = [region, number] }
  foreign_key "account" {
    columns    = [account]
    references = table.accounts
    on_delete  = "cascade"
  }
  foreign_key "payer" {
    columns    = [paid_by]
    references = table.accounts
  }
  index "by_account" { columns = [account] }
  index "by_payer" { columns = [paid_by] }

  transitions "state" {
    column  = state
    initial = ["cart"]
    final   = ["void"]
    repeat  = "reject"
    move "place" {
      from = ["cart"]
      to   = "placed"
    }
    move "pay" {
      from = ["placed"]
      to   = "paid"
      args = { paid_by = varchar(8) }
      set  = { paid_by = "@paid_by" }
    }
    move "cancel" {
      from = ["cart", "placed", "paid"]
      to   = "void"
    }
  }
  edit "annotate" { columns = [note] }
}

table "lines" {
  column "id" {
    type     = bigint
    identity = "by default"
  }
  column "region" { type = integer }
  column "number" { type = uuid }
  column "item" {
    type = text
    null = true
  }
  column "active" { type = boolean }
  primary_key { columns = [id] }
  foreign_key "order" {
    columns    = [region, number]
    references = table.orders
  }
  index "by_order" { columns = [region, number] }
  no_duplicates "item" {
    columns = [region, number, item]
    where   = "active"
    nulls   = "distinct"
  }
}

table "tags" {
  column "name" { type = text }
  primary_key { columns = [name] }
}

# A folder stands in another one.
table "folders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "parent_id" {
    type = bigint
    null = true
  }
  column "size" { type = integer }
  primary_key { columns = [id] }
  foreign_key "parent" {
    columns    = [parent_id]
    references = table.folders
  }
  index "by_parent" { columns = [parent_id] }
  edit "grow" { columns = [size] }
  edit "try_grow" {
    columns = [size]
    wait    = "nowait"
  }
}

queue "mails" {
  column "payload" { type = bytea }
  lease    = "1m"
  attempts = 3
}

singleton "janitor" {
  key   = 1
  scope = "transaction"
}

# Bounded, numbered, in order, one of them picked, and written more than once.
table "shows" {
  column "id" { type = bigint }
  column "capacity" { type = integer }
  primary_key { columns = [id] }
}

table "places" {
  column "code" { type = text }
  column "show_id" { type = bigint }
  column "van" { type = text }
  column "price" { type = integer }
  primary_key { columns = [code] }
  foreign_key "show" {
    columns    = [show_id]
    references = table.shows
  }
  index "by_show" { columns = [show_id] }
  limit "seats" {
    per = [show_id]
    max = table.shows.column.capacity
  }
  limit "load" {
    per = [van]
    max = 2
  }
  upsert "offer" {
    key    = primary_key
    mode   = "converge"
    update = [price]
  }
}

table "stops" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "line" { type = text }
  column "number" { type = bigint }
  column "position" { type = integer }
  column "terminal" {
    type    = boolean
    default = false
  }
  primary_key { columns = [id] }
  sequence "number" {
    per    = [line]
    column = number
  }
  ordered "position" {
    per    = [line]
    column = position
  }
  at_most_one "terminal" {
    per   = [line]
    where = "terminal"
  }
}

singleton "planner" {
  key   = 9
  scope = "leader"
  lease = "15s"
}

outbox "events" {
  aggregate = [place_id]
  column "place_id" { type = bigint }
  column "body" { type = jsonb }
}
