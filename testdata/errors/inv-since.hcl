table "visits" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "room" { type = text }
  column "status" { type = text }
  column "during" { type = tstzrange }
  column "seen_at" {
    type      = timestamptz
    immutable = true
  }
  column "seen_on" {
    type      = date
    immutable = true
  }
  column "left_at" {
    type      = timestamptz
    null      = true
    immutable = true
  }
  column "changed_at" { type = timestamptz }
  column "seen_year" {
    type      = integer
    generated = "extract(year from seen_on)::integer"
  }
  column "changed_text" {
    type      = text
    generated = "lower(status)"
  }
  primary_key { columns = [id] }

  no_duplicates "fixed" {
    columns = [room, status]
    since   = "seen_at >= '2026-01-01' AND seen_at < '2027-01-01 12:00+02' AND '2026-01-01' <= seen_on AND id > 7 AND seen_year > 2025"
  }
  no_duplicates "clock" {
    columns = [room, id]
    since   = "seen_at > now()" # ERROR not-immutable "now\\(\\).*Which rows are covered would change with time.*write a fixed moment"
  }
  no_duplicates "word" {
    columns = [room, seen_on]
    since   = "seen_on >= 'today'" # ERROR not-immutable "\"today\" is no moment that every session reads.*disagree about which rows"
  }
  no_overlap "style" {
    range = during
    since = "seen_at >= '01/02/2026'" # ERROR not-immutable "\"01/02/2026\" is no moment"
  }
  no_overlap "zone_on_a_day" {
    range = during
    since = "seen_on BETWEEN '2026-01-01' AND '2026-01-02 00:00+02'" # ERROR not-immutable "is no moment"
  }
  at_most_one "cast" {
    per   = [room]
    since = "seen_at >= date '2026-01-01'" # ERROR not-immutable "compared with a date.*42P17.*leave the cast out"
  }
  at_most_one "another_row" {
    per   = [status]
    since = "id > (SELECT 7)" # ERROR sub-select "sub-select"
  }
  at_most_one "unknown" {
    per   = [status]
    since = "created_at >= '2026-01-01'" # ERROR unknown-column "created_at"
  }
  limit "never" {
    per   = [room]
    max   = 5
    since = "id > NULL" # ERROR null-comparison "NULL"
  }
  limit "idle" {
    per   = [status]
    max   = 5
    since = "true" # ERROR idle-since "tells no old row from a new one"
  }
  check "moves" {
    expr  = "status <> ''"
    since = "changed_at >= '2026-01-01'" # WARNING loose-since "\"changed_at\" can change.*A row leaves the rule.*immutable = true on column"
  }
  check "computed" {
    expr  = "room <> ''"
    since = "changed_text <> 'x'" # WARNING loose-since "changed_text"
  }
  check "absent" {
    expr  = "status <> 'lost'"
    since = "left_at >= '2026-01-01'" # WARNING loose-since "may be NULL.*passes the rule"
  }
  check "meant" {
    expr  = "status <> 'gone'"
    since = "changed_at >= '2026-01-01'"
    allow = { loose-since = "a trigger of the old system keeps it" }
  }
  transitions "by_code" {
    column  = status
    initial = ["held"]
    final   = ["done"]
    enforce = "code"
    since   = "id > 7" # ERROR idle-since "no triggers.*kept by generated code alone"
    move "finish" {
      from = ["held"]
      to   = "done"
    }
  }
}
