table "shops" {
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "invoices" {
  column "id" { type = bigint }
  column "shop_id" { type = bigint }
  column "branch" {
    type = text
    null = true
  }
  column "number" { type = bigint }
  column "title" { type = text }
  column "counted" {
    type    = bigint
    default = 0
  }
  primary_key { columns = [id] }
  foreign_key "shop" {
    columns    = [shop_id]
    references = table.shops
    on_delete  = "cascade" # ERROR immutable-column "ON DELETE CASCADE would write rows"
  }
  index "by_shop" { columns = [shop_id] }
  sequence "number" {
    per     = [shop_id]
    column  = number
    gapless = true
  }
  edit "renumber" { columns = [number] } # ERROR immutable-column "which never changes"
  edit "move" { columns = [shop_id] } # ERROR immutable-column "which never changes"
  sequence "titled" {
    per    = [shop_id]
    column = title # ERROR group-column "is no integer"
  }
  sequence "counted" {
    per    = [shop_id]
    column = counted # ERROR group-column "a value of its own already"
  }
  sequence "branched" {
    per    = [branch] # ERROR group-column "may be NULL"
    column = number
  }
  sequence "self" {
    per    = [number] # ERROR group-column "makes the group and holds the number"
    column = number
  }
}
