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
table "numbered" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "name" { type = text }
  column "n" { type = bigint }
  column "rank" {
    type = bigint
    null = true
  }
  column "shape" { type = point }
  primary_key { columns = [id] }
  no_duplicates "name" { columns = [name] }
  upsert "by_number" {
    key    = primary_key # ERROR upsert-key "identity column.*nothing would ever conflict"
    mode   = "converge"
    update = [n]
  }
  upsert "its_own_key" {
    key    = no_duplicates.name
    mode   = "converge"
    update = [name] # ERROR fixed-column "found by it"
  }
  upsert "version_twice" {
    key     = no_duplicates.name
    mode    = "versioned"
    version = n
    update  = [n] # ERROR fixed-column "writes by itself.*42601"
  }
  upsert "no_version" {
    key     = no_duplicates.name
    mode    = "versioned"
    version = rank # ERROR upsert-mode "may be NULL.*never change again"
    update  = [n]
  }
  upsert "no_order" {
    key     = no_duplicates.name
    mode    = "versioned"
    version = shape # ERROR upsert-mode "has no order.*42883"
    update  = [n]
  }
  upsert "key_is_version" {
    key     = no_duplicates.name
    mode    = "versioned"
    version = name # ERROR upsert-mode "row of its own"
    update  = [n]
  }
  upsert "refused" {
    key   = no_duplicates.name
    mode  = "reject" # ERROR upsert-mode "no batch form"
    batch = "last"
  }
}
