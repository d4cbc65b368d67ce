table "a" {
  version = n # ERROR version-column "may be NULL"
  column "id" { type = bigint }
  column "n" {
    type = bigint
    null = true
  }
  primary_key { columns = [id] }
}
table "b" {
  version = n # ERROR version-column "not an integer type"
  column "id" { type = bigint }
  column "n" { type = text }
  primary_key { columns = [id] }
}
table "c" {
  version = n # ERROR version-column "no default"
  column "id" { type = bigint }
  column "n" { type = bigint }
  primary_key { columns = [id] }
}
table "d" {
  version = id # ERROR version-column "in the primary key"
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "h" {
  version = n # ERROR version-column "is immutable"
  column "id" { type = bigint }
  column "n" {
    type      = bigint
    default   = 1
    immutable = true
  }
  primary_key { columns = [id] }
}
table "e" {
  version = absent # ERROR unknown-column "no column \"absent\""
  column "id" { type = bigint }
  primary_key { columns = [id] }
}
table "f" { # ERROR primary-key-missing "no primary key"
  version = n
  column "n" {
    type    = bigint
    default = 1
  }
}
table "g" {
  version = n
  column "id" { type = bigint }
  column "n" {
    type    = bigint
    default = 1
  }
  primary_key { columns = [id] }
  edit "e" { columns = [n] } # ERROR fixed-column "is the version of"
  adjust "j" {
    set  = { n = "n + 1" } # ERROR fixed-column "is the version of"
    wait = "soon" # ERROR invalid-duration "no time to wait"
  }
}
