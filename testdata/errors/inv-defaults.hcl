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
