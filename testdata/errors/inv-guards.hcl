# A guard looks at this row and at arguments, and at nothing else.
table "accounts" {
  column "id" { type = bigint }
  column "balance" { type = bigint }
  column "owner" { type = text }
  primary_key { columns = [id] }
  adjust "sub_select" {
    set   = { balance = "balance - 1" }
    guard = "balance > (SELECT min(limit_of) FROM limits)" # ERROR sub-select "Two transactions at the same time do not see each other's rows.*`rule`"
  }
  adjust "exists" {
    set   = { balance = "balance - 1" }
    guard = "NOT EXISTS (SELECT 1 FROM holds WHERE holds.account = id)" # ERROR sub-select "never a sub-select"
  }
  adjust "aggregate" {
    set   = { balance = "balance - 1" }
    guard = "count(*) < 10" # ERROR aggregate "looks at many rows.*`limit`"
  }
  adjust "other_table" {
    set   = { balance = "balance - 1" }
    guard = "limits.floor < balance" # ERROR foreign-column "not a column of this row.*not locked"
  }
  adjust "volatile" {
    set   = { balance = "balance - 1" }
    guard = "balance > random() * 10" # ERROR volatile-function "more than once for one decision"
  }
  adjust "never" {
    set   = { balance = "balance - 1" }
    guard = "owner = NULL" # ERROR null-comparison "refused on every call"
  }
}
