# The team's own rules, over what is compiled.
variable "longest_lease" { default = 60 }
table "orders" {
  column "id" { type = bigint }
  column "net_amount" { type = numeric(12, 2) }
  column "gross_amount" { type = double_precision } # ERROR policy-broken "table.orders.column.gross_amount holds money: use numeric.*leave it out of the policy: when = each.address != \"table.orders.column.gross_amount\""
  column "short" { type = varchar(10) } # WARNING policy-broken "varchar\\(10\\) cuts"
  primary_key { columns = [id] }
  no_duplicates "net_amount" { columns = [net_amount] } # WARNING policy-broken "no_duplicates of orders is UNIQUE"
}
table "notes" { # ERROR policy-broken "notes has no comment and 1 columns"
  column "id" { type = bigint }
}
queue "mails" { # ERROR policy-broken "mails holds tasks for 300 s"
  lease = "5m"
  column "total_amount" { type = real } # ERROR policy-broken "queue.mails.column.total_amount holds money"
}
policy "money_is_numeric" {
  each     = columns
  when     = endswith(each.name, "_amount")
  require  = each.base_type == "numeric"
  message  = "${each.address} holds money: use numeric."
  severity = "error"
}
policy "no_length" {
  each     = columns
  require  = each.base_type != "varchar" || each.type == "varchar(40)"
  message  = "${each.type} cuts what people write."
  severity = "warning"
}
policy "comments" {
  each    = tables
  when    = length(each.primary_key) == 0
  require = each.comment != ""
  message = "${each.name} has no comment and ${length(each.columns)} columns."
}
policy "leases" {
  each    = queues
  require = each.lease_seconds <= var.longest_lease
  message = "${each.name} holds tasks for ${each.lease_seconds} s."
}
policy "keys" {
  each     = invariants
  require  = each.kind != "no_duplicates"
  message  = "A ${each.kind} of ${each.table} is ${each.mechanism}."
  severity = "warning"
}
