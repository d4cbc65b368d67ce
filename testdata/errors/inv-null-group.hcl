# NULL means the top of the tree here, and the key leaves the top unguarded.
table "folders" {
  column "id" { type = bigint }
  column "parent_id" {
    type = bigint
    null = true
  }
  column "owner_id" {
    type = bigint
    null = true
  }
  column "name" { type = text }
  primary_key { columns = [id] }
  index "by_parent" { columns = [parent_id] }
  index "by_owner" { columns = [owner_id] }
  foreign_key "parent" {
    columns    = [parent_id]
    references = table.folders
  }
  foreign_key "owner" {
    columns    = [owner_id]
    references = table.folders
  }
  no_duplicates "name" {
    columns = [parent_id, name] # WARNING null-group "rows without one are in no group.*any number of those.*not_distinct.*parent_id IS NULL"
    nulls   = "distinct"
  }
  no_duplicates "meant" {
    columns = [parent_id, id]
    nulls   = "distinct"
    allow   = { null-group = "the id differs anyway" }
  }
  # The rows without an owner have a key of their own.
  no_duplicates "owned" {
    columns = [owner_id, name]
    nulls   = "distinct"
  }
  no_duplicates "unowned" {
    columns = [name]
    where   = "owner_id IS NULL"
  }
  # An unspoken NULL is refused before.
  no_duplicates "unsaid" { columns = [parent_id, owner_id] } # ERROR nullable-key "\"parent_id\" may be NULL"
}
