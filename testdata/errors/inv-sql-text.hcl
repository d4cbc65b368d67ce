# The place inside the string is pointed out, in heredocs too.
table "accounts" {
  column "id" { type = bigint }
  column "balance" { type = bigint }
  column "label" { type = text }
  primary_key { columns = [id] }
  check "several" { expr = "balance >= 0; DROP TABLE accounts" } # ERROR sql-several "run unseen"
  check "comma" { expr = "balance >= 0, balance < 9" } # ERROR sql-several "comma separates two"
  check "query" { expr = "SELECT 1" } # ERROR sql-not-expression "query"
  check "syntax" { expr = "balance >= = 0" } # ERROR sql-syntax "does not expect"
  check "column" { expr = "balanec >= 0" } # ERROR unknown-column "no column \"balanec\".*did you mean balance"
  check "argument" { expr = "balance >= @floor" } # ERROR unknown-argument "a check has no arguments"
  check "sub_select" { expr = "balance < (SELECT 10)" } # ERROR sub-select "PostgreSQL refuses sub-selects"
  check "heredoc" {
    expr = <<-SQL
      balance >= 0
      AND lable <> ''
    SQL
    # ERROR(-2) unknown-column "did you mean label"
  }
  adjust "operator" {
    args = { qty = bigint }
    set  = { balance = "balance -@qty" } # ERROR argument-operator "put a space before @"
  }
  adjust "parameter" {
    set = { balance = "balance - $1" } # ERROR sql-parameter "@name"
  }
  adjust "sign" {
    args = { qty = bigint }
    set  = { balance = "balance - qty" } # ERROR unknown-column "an argument is written with its sign: @qty"
  }
  adjust "undeclared" {
    args = { quantity = bigint }
    set  = { balance = "balance - @quantiti" } # ERROR unknown-argument "did you mean @quantity"
  }
}
