table "stats" {
  column "id" {
    type     = integer
    identity = "by default"
  }
  column "day" { type = date }
  column "n" { type = bigint }
  column "version" { type = bigint }
  column "status" { type = text }
  primary_key { columns = [id] }
  no_duplicates "day" { columns = [day] }
  no_duplicates "late" {
    columns    = [day, n]
    deferrable = true
  }
  transitions "status" {
    column  = status
    initial = ["new"]
    final   = ["old"]
    move "age" {
      from = ["new"]
      to   = "old"
    }
  }
  upsert "missing" {
    key   = no_duplicates.dya # ERROR upsert-key "both insert.*did you mean day"
    mode  = "reject"
    allow = { identity-burn = "rare" }
  }
  upsert "deferred" {
    key   = no_duplicates.late # ERROR upsert-key "deferrable.*55000"
    mode  = "reject"
    allow = { identity-burn = "rare" }
  }
  upsert "put" { # WARNING identity-burn "uses up a number.*2147483647|conflict"
    key    = no_duplicates.day
    mode   = "converge"
    update = [n]
  }
  upsert "governed" {
    key    = no_duplicates.day
    mode   = "converge"
    update = [status] # ERROR governed-column "upsert would write a state"
    allow  = { identity-burn = "rare" }
  }
}
table "events" {
  column "id" { type = bigint }
  column "n" { type = bigint }
  column "version" { type = bigint }
  primary_key { columns = [id] }
  upsert "take" {
    key  = primary_key
    mode = "ignore" # WARNING silent-loss "drops a row.*nobody notices.*mode = \"reject\""
  }
  upsert "counted" {
    key   = primary_key
    mode  = "ignore"
    allow = { silent-loss = "the caller counts them" }
  }
  upsert "nothing" {
    key  = primary_key
    mode = "converge" # ERROR upsert-mode "`update` names none.*never implied"
  }
  upsert "never" {
    key    = primary_key
    mode   = "reject" # ERROR upsert-mode "leaves the row that is there"
    update = [n]
  }
  upsert "unversioned" {
    key    = primary_key
    mode   = "versioned" # ERROR upsert-mode "compares a version.*comes late"
    update = [n]
  }
  upsert "versioned_not" {
    key     = primary_key
    mode    = "converge" # ERROR upsert-mode "compares no version"
    version = version
    update  = [n]
  }
  upsert "right" {
    key     = primary_key
    mode    = "versioned"
    version = version
    update  = [n]
  }
}
table "keyless" {
  column "id" { type = bigint }
  upsert "put" {
    key  = primary_key # ERROR upsert-key "has no primary key"
    mode = "reject"
  }
}
