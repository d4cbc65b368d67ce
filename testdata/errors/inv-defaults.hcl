enum "seat_status" { values = ["free", "booked"] }
table "seats" {
  column "id" { type = bigint }
  column "status" {
    type    = enum.seat_status
    default = "fre" # ERROR default-value "22P02.*did you mean free"
  }
  column "small" {
    type    = smallint
    default = 40000 # ERROR default-value "does not fit"
  }
  column "whole" {
    type    = bigint
    default = 1.5 # ERROR default-value "does not fit"
  }
  column "label" {
    type    = text
    default = 7 # ERROR default-value "no value of this type"
  }
  column "flag" {
    type    = bigint
    default = true # ERROR default-value "boolean alone"
  }
  column "copy" {
    type    = bigint
    default = sql("id + 1") # ERROR unknown-column "a column in a DEFAULT"
  }
  column "made_at" {
    type    = timestamptz
    default = sql("now()")
  }
  column "token" {
    type    = uuid
    default = sql("gen_random_uuid()")
  }
  primary_key { columns = [id] }
}

# 'now' is read when the table is made.
table "frozen" {
  column "id" { type = bigint }
  column "a" {
    type    = timestamptz
    default = "now()" # ERROR frozen-time `moment of the apply(.|\n)*sql."now..".`
  }
  column "b" {
    type    = date
    default = "Today" # ERROR frozen-time `sql."current_date".`
  }
  column "c" {
    type    = timestamp(3) # WARNING discouraged-type "time zone"
    default = "tomorrow 12:00" # ERROR frozen-time `current_date \+ 1`
  }
  column "d" {
    type    = tstzrange
    default = "[now,)" # ERROR frozen-time "now"
  }
  column "e" {
    type    = list(date)
    default = "{yesterday}" # ERROR frozen-time "current_date - 1"
  }
  column "f" {
    type    = timestamptz
    default = sql("'now'") # ERROR frozen-time "now"
  }
  column "g" {
    type    = timestamptz
    default = sql("'now'::timestamptz") # ERROR frozen-time "now"
  }
  column "h" {
    type    = text
    default = "now"
  }
  column "i" {
    type    = time
    default = "allballs"
  }
  primary_key { columns = [id] }
  adjust "a" { set = { a = "'now'" } } # ERROR frozen-time `prepared statement(.|\n)*write now\(\)`
  adjust "b" { set = { b = "'today'::date + 1" } } # ERROR frozen-time "write current_date"
  adjust "c" {
    set   = { h = "'now'" }
    guard = "b <> 'today'" # ERROR frozen-time "write current_date"
  }
}
table "impossible" {
  column "id" { type = bigint }
  column "a" {
    type    = date
    default = "not a date" # ERROR default-value "no date"
  }
  column "b" {
    type    = boolean
    default = "maybe" # ERROR default-value "neither true nor false"
  }
  column "c" {
    type    = integer
    default = "five" # ERROR default-value "no whole number"
  }
  column "d" {
    type    = smallint
    default = "40000" # ERROR default-value "does not fit"
  }
  column "e" {
    type    = uuid
    default = "x" # ERROR default-value "no uuid"
  }
  column "f" {
    type    = varchar(3)
    default = "four" # ERROR default-value "longer than 3 characters"
  }
  column "g" {
    type    = numeric
    default = "12,5" # ERROR default-value "no number"
  }
  column "h" {
    type    = timestamptz
    default = "2026-02-30 10:00" # ERROR default-value "no day of the calendar"
  }
  column "i" {
    type    = jsonb
    default = "{a: 1}" # ERROR default-value "no JSON"
  }
  column "j" {
    type    = list(text)
    default = "a" # ERROR default-value "braces"
  }
  column "k" {
    type    = bigint
    default = sql("(SELECT 1)") # ERROR sub-select "refuses sub-selects and aggregates in a DEFAULT.*for the caller to pass"
  }
  primary_key { columns = [id] }
}
table "moments" {
  column "at" { type = timestamptz }
  column "day" { type = date }
  primary_key { columns = [at] }
  check "past" { expr = "at < 'now'" } # ERROR frozen-time "write now\\(\\)"
  check "recent" { expr = "day BETWEEN 'yesterday' AND '2099-01-01'" } # ERROR frozen-time "current_date - 1"
  check "cast" { expr = "at < 'now'::timestamptz" } # ERROR frozen-time "write now\\(\\)"
}
