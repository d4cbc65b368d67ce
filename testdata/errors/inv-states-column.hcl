table "seats" {
  column "id" { type = bigint }
  column "number" { type = bigint }
  column "state" {
    type = text
    null = true
  }
  column "status" { type = text }
  primary_key { columns = [id] }
  transitions "number" {
    column  = number # ERROR state-type "States are names"
    initial = ["free"]
    move "stay" {
      from = ["free"]
      to   = "free"
    }
  }
  transitions "state" {
    column  = state # ERROR state-nullable "in no state"
    initial = ["free"]
    move "stay_here" {
      from = ["free"]
      to   = "free"
    }
  }
  transitions "status" {
    column  = status
    initial = ["free"]
    move "stay_there" {
      from = ["free"]
      to   = "free"
      set  = { status = "'free'" } # ERROR governed-column "writes the column \"status\" by itself"
    }
  }
  transitions "again" {
    column  = status # ERROR governed-twice "refuse the moves of the other one"
    initial = ["free"]
    move "go" {
      from = ["free"]
      to   = "free"
    }
  }
}
