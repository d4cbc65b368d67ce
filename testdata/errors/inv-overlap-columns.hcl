table "bookings" {
  column "id" { type = bigint }
  column "room" {
    type = bigint
    null = true
  }
  column "during" {
    type = tstzrange
    null = true
  }
  column "at" { type = timestamptz }
  column "days" { type = daterange }
  column "open" { type = boolean }
  column "tags" { type = jsonb }
  column "until" { type = date }
  primary_key { columns = [id] }
  no_overlap "null_group" {
    within = [room] # ERROR overlap-nullable "two rows with NULL in \"room\" never meet"
    range  = days
  }
  no_overlap "null_range" {
    range = during # ERROR overlap-nullable "both count as booked.*leave null = true out"
  }
  no_overlap "no_range" {
    range = at # ERROR overlap-range-type "which is no range.*tstzrange"
  }
  no_overlap "closed_days" {
    range  = days
    bounds = "[]" # ERROR overlap-bounds "would refuse every row"
  }
  no_overlap "boolean_group" {
    within = [open] # ERROR overlap-group-type "from PostgreSQL 16 on"
    range  = days
  }
  no_overlap "json_group" {
    within = [tags] # ERROR overlap-group-type "jsonb"
    range  = days
  }
  no_overlap "two_types" {
    range = { from = at, to = until, bounds = "[)" } # ERROR overlap-range-type "make no range"
  }
  no_overlap "unknown" {
    within = [rooom] # ERROR unknown-column "did you mean room"
    range  = days
  }
  no_overlap "empty" {
    range       = days
    allow_empty = true # WARNING overlap-empty-range "Two rows with an empty range both succeed"
  }
}
