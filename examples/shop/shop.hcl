# A shop: stock, coupons with a bound, orders that are paid once, invoices without a
# gap, one default address, a basket in order, prices that arrive in any order.
pawl {
  project  = "shop"
  postgres = 14
  schema   = "shop"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "order_status" { values = ["payment_pending", "paid", "cancelled"] }

table "users" {
  live = "deleted_at IS NULL"
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "email" { type = text }
  column "deleted_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  no_duplicates "email" { columns = [sql("lower(email)")] }
}

table "addresses" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "user_id" { type = bigint }
  column "street" { type = text }
  column "is_default" {
    type    = boolean
    default = false
  }
  primary_key { columns = [id] }
  foreign_key "user" {
    columns    = [user_id]
    references = table.users
    on_delete  = "cascade"
  }
  index "by_user" { columns = [user_id] }
  at_most_one "default" {
    per   = [user_id]
    where = "is_default"
  }
}

table "coupons" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "uses" { type = integer }
  primary_key { columns = [id] }
  check "uses_not_negative" { expr = "uses >= 0" }
}

table "issued_coupons" {
  column "user_id" { type = bigint }
  column "coupon_id" { type = bigint }
  primary_key { columns = [user_id, coupon_id] }
  foreign_key "user" {
    columns    = [user_id]
    references = table.users
  }
  foreign_key "coupon" {
    columns    = [coupon_id]
    references = table.coupons
  }
  index "by_coupon" { columns = [coupon_id] }
  limit "issued" { # for every client: coupons.issued_used <= coupons.uses
    per = [coupon_id]
    max = table.coupons.column.uses
  }
}

table "orders" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "user_id" { type = bigint }
  column "status" {
    type    = enum.order_status
    default = "payment_pending"
  }
  column "paid_at" {
    type = timestamptz
    null = true
  }
  primary_key { columns = [id] }
  foreign_key "user" {
    columns    = [user_id]
    references = table.users
  }
  index "by_user" { columns = [user_id] }
  check "paid_has_time" { expr = "(status = 'paid') = (paid_at IS NOT NULL)" }
  transitions "status" {
    column  = status
    initial = ["payment_pending"]
    final   = ["paid", "cancelled"]
    move "pay" {
      from = ["payment_pending"]
      to   = "paid"
      set  = { paid_at = "now()" }
    }
    move "cancel" {
      from = ["payment_pending"]
      to   = "cancelled"
    }
  }
}

table "invoices" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "year" { type = integer }
  column "number" { type = bigint }
  column "order_id" { type = bigint }
  primary_key { columns = [id] }
  foreign_key "order" {
    columns    = [order_id]
    references = table.orders
  }
  no_duplicates "one_per_order" { columns = [order_id] }
  sequence "number" {
    per     = [year]
    column  = number
    gapless = true
  }
}

table "items" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "sku" { type = text }
  column "stock" {
    type    = integer
    default = 0
  }
  primary_key { columns = [id] }
  no_duplicates "sku" { columns = [sku] }
  check "stock_not_negative" { expr = "stock >= 0" }
  adjust "take" {
    args = { quantity = integer }
    set  = { stock = "stock - @quantity" }
  }
}

table "prices" {
  column "sku" { type = text }
  column "cents" { type = bigint }
  column "revision" { type = bigint }
  primary_key { columns = [sku] }
  upsert "publish" { # messages of the price service, which arrive in any order
    key     = primary_key
    mode    = "versioned"
    version = revision
    update  = [cents]
  }
}

table "basket_lines" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "user_id" { type = bigint }
  column "sku" { type = text }
  column "position" { type = integer }
  primary_key { columns = [id] }
  foreign_key "user" {
    columns    = [user_id]
    references = table.users
    on_delete  = "cascade"
  }
  ordered "position" {
    per    = [user_id]
    column = position
  }
}
