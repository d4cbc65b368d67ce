# A column of each type: NOT NULL, and such as may be NULL; a list of each, and one whose elements may be NULL.
# codegen/golang/values_test.go writes and reads them all on a server.
# explain: table.singles
# explain: table.lists
# extensions: citext, hstore, ltree

pawl {
  project  = "types"
  postgres = 14
  schema   = "app"
}

generate "go" {
  out     = "store"
  package = "store"
  runtime = "github.com/pawldb/pawl/pawl"
}

generate "sql" { out = "schema.sql" }

enum "mood" { values = ["glad", "so so", "O'Brien"] }

table "singles" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "a_int2" { type = smallint }
  column "a_int4" { type = integer }
  column "a_int8" { type = bigint }
  column "a_oid" { type = oid }
  column "a_xid8" { type = type("xid8") }
  column "a_bool" { type = boolean }
  column "a_float4" { type = real }
  column "a_float8" { type = double_precision }
  column "a_numeric" { type = numeric }
  column "a_text" { type = text }
  column "a_varchar" { type = varchar(40) }
  column "a_bpchar" {
    type  = bpchar(1)
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_name" { type = name }
  column "a_citext" { type = type("public.citext") }
  column "a_ltree" { type = type("public.ltree") }
  column "a_xml" { type = xml }
  column "a_bytea" { type = bytea }
  column "a_json" {
    type  = json
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_jsonb" { type = jsonb }
  column "a_uuid" { type = uuid }
  column "a_timestamptz" { type = timestamptz }
  column "a_timestamp" {
    type  = timestamp
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_date" { type = date }
  column "a_time" { type = time }
  column "a_timetz" {
    type  = timetz
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_interval" { type = interval }
  column "a_inet" { type = inet }
  column "a_cidr" { type = cidr }
  column "a_macaddr" { type = macaddr }
  column "a_macaddr8" { type = macaddr8 }
  column "a_bit" { type = bit(1) }
  column "a_varbit" { type = varbit(8) }
  column "a_money" {
    type  = money
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_pg_lsn" { type = pg_lsn }
  column "a_regclass" { type = type("regclass") }
  column "a_xid" { type = type("xid") }
  column "a_cid" { type = type("cid") }
  column "a_tid" { type = type("tid") }
  column "a_point" { type = point }
  column "a_line" { type = line }
  column "a_lseg" { type = lseg }
  column "a_box" { type = box }
  column "a_path" { type = path }
  column "a_polygon" { type = polygon }
  column "a_circle" { type = circle }
  column "a_tsvector" { type = tsvector }
  column "a_tsquery" { type = tsquery }
  column "a_jsonpath" { type = jsonpath }
  column "a_hstore" { type = type("public.hstore") }
  column "a_int4range" { type = int4range }
  column "a_int8range" { type = int8range }
  column "a_numrange" { type = numrange }
  column "a_tsrange" { type = tsrange }
  column "a_tstzrange" { type = tstzrange }
  column "a_daterange" { type = daterange }
  column "a_int4multirange" { type = int4multirange }
  column "a_int8multirange" { type = int8multirange }
  column "a_nummultirange" { type = nummultirange }
  column "a_tsmultirange" { type = tsmultirange }
  column "a_tstzmultirange" { type = tstzmultirange }
  column "a_datemultirange" { type = datemultirange }
  column "a_mood" { type = enum.mood }
  column "maybe_int2" {
    type = smallint
    null = true
  }
  column "maybe_int4" {
    type = integer
    null = true
  }
  column "maybe_int8" {
    type = bigint
    null = true
  }
  column "maybe_oid" {
    type = oid
    null = true
  }
  column "maybe_xid8" {
    type = type("xid8")
    null = true
  }
  column "maybe_bool" {
    type = boolean
    null = true
  }
  column "maybe_float4" {
    type = real
    null = true
  }
  column "maybe_float8" {
    type = double_precision
    null = true
  }
  column "maybe_numeric" {
    type = numeric
    null = true
  }
  column "maybe_text" {
    type = text
    null = true
  }
  column "maybe_varchar" {
    type = varchar(40)
    null = true
  }
  column "maybe_bpchar" {
    type  = bpchar(1)
    null  = true
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "maybe_name" {
    type = name
    null = true
  }
  column "maybe_citext" {
    type = type("public.citext")
    null = true
  }
  column "maybe_ltree" {
    type = type("public.ltree")
    null = true
  }
  column "maybe_xml" {
    type = xml
    null = true
  }
  column "maybe_bytea" {
    type = bytea
    null = true
  }
  column "maybe_json" {
    type  = json
    null  = true
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "maybe_jsonb" {
    type = jsonb
    null = true
  }
  column "maybe_uuid" {
    type = uuid
    null = true
  }
  column "maybe_timestamptz" {
    type = timestamptz
    null = true
  }
  column "maybe_timestamp" {
    type  = timestamp
    null  = true
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "maybe_date" {
    type = date
    null = true
  }
  column "maybe_time" {
    type = time
    null = true
  }
  column "maybe_timetz" {
    type  = timetz
    null  = true
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "maybe_interval" {
    type = interval
    null = true
  }
  column "maybe_inet" {
    type = inet
    null = true
  }
  column "maybe_cidr" {
    type = cidr
    null = true
  }
  column "maybe_macaddr" {
    type = macaddr
    null = true
  }
  column "maybe_macaddr8" {
    type = macaddr8
    null = true
  }
  column "maybe_bit" {
    type = bit(1)
    null = true
  }
  column "maybe_varbit" {
    type = varbit(8)
    null = true
  }
  column "maybe_money" {
    type  = money
    null  = true
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "maybe_pg_lsn" {
    type = pg_lsn
    null = true
  }
  column "maybe_regclass" {
    type = type("regclass")
    null = true
  }
  column "maybe_xid" {
    type = type("xid")
    null = true
  }
  column "maybe_cid" {
    type = type("cid")
    null = true
  }
  column "maybe_tid" {
    type = type("tid")
    null = true
  }
  column "maybe_point" {
    type = point
    null = true
  }
  column "maybe_line" {
    type = line
    null = true
  }
  column "maybe_lseg" {
    type = lseg
    null = true
  }
  column "maybe_box" {
    type = box
    null = true
  }
  column "maybe_path" {
    type = path
    null = true
  }
  column "maybe_polygon" {
    type = polygon
    null = true
  }
  column "maybe_circle" {
    type = circle
    null = true
  }
  column "maybe_tsvector" {
    type = tsvector
    null = true
  }
  column "maybe_tsquery" {
    type = tsquery
    null = true
  }
  column "maybe_jsonpath" {
    type = jsonpath
    null = true
  }
  column "maybe_hstore" {
    type = type("public.hstore")
    null = true
  }
  column "maybe_int4range" {
    type = int4range
    null = true
  }
  column "maybe_int8range" {
    type = int8range
    null = true
  }
  column "maybe_numrange" {
    type = numrange
    null = true
  }
  column "maybe_tsrange" {
    type = tsrange
    null = true
  }
  column "maybe_tstzrange" {
    type = tstzrange
    null = true
  }
  column "maybe_daterange" {
    type = daterange
    null = true
  }
  column "maybe_int4multirange" {
    type = int4multirange
    null = true
  }
  column "maybe_int8multirange" {
    type = int8multirange
    null = true
  }
  column "maybe_nummultirange" {
    type = nummultirange
    null = true
  }
  column "maybe_tsmultirange" {
    type = tsmultirange
    null = true
  }
  column "maybe_tstzmultirange" {
    type = tstzmultirange
    null = true
  }
  column "maybe_datemultirange" {
    type = datemultirange
    null = true
  }
  column "maybe_mood" {
    type = enum.mood
    null = true
  }
  primary_key { columns = [id] }
  index "by_int8" { columns = [a_int8] }
  index "by_numeric" { columns = [a_numeric] }
  index "by_text" { columns = [a_text] }
  index "by_timestamptz" { columns = [a_timestamptz] }
  index "by_timestamp" { columns = [a_timestamp] }
  index "by_uuid" { columns = [a_uuid] }
  index "by_date" { columns = [a_date] }
  index "by_mood" { columns = [a_mood] }
  index "by_interval" { columns = [a_interval] }
  index "by_inet" { columns = [a_inet] }
  index "by_bytea" { columns = [a_bytea] }
  index "by_float8" { columns = [a_float8] }
  index "by_bool" { columns = [a_bool] }
  edit "change" {
    columns = [
      a_int2, a_int4, a_int8, a_oid, a_xid8, a_bool,
      a_float4, a_float8, a_numeric, a_text, a_varchar, a_bpchar,
      a_name, a_citext, a_ltree, a_xml, a_bytea, a_json,
      a_jsonb, a_uuid, a_timestamptz, a_timestamp, a_date, a_time,
      a_timetz, a_interval, a_inet, a_cidr, a_macaddr, a_macaddr8,
      a_bit, a_varbit, a_money, a_pg_lsn, a_regclass, a_xid,
      a_cid, a_tid, a_point, a_line, a_lseg, a_box,
      a_path, a_polygon, a_circle, a_tsvector, a_tsquery, a_jsonpath,
      a_hstore, a_int4range, a_int8range, a_numrange, a_tsrange, a_tstzrange,
      a_daterange, a_int4multirange, a_int8multirange, a_nummultirange, a_tsmultirange, a_tstzmultirange,
      a_datemultirange, a_mood, maybe_int2, maybe_int4, maybe_int8, maybe_oid,
      maybe_xid8, maybe_bool, maybe_float4, maybe_float8, maybe_numeric, maybe_text,
      maybe_varchar, maybe_bpchar, maybe_name, maybe_citext, maybe_ltree, maybe_xml,
      maybe_bytea, maybe_json, maybe_jsonb, maybe_uuid, maybe_timestamptz, maybe_timestamp,
      maybe_date, maybe_time, maybe_timetz, maybe_interval, maybe_inet, maybe_cidr,
      maybe_macaddr, maybe_macaddr8, maybe_bit, maybe_varbit, maybe_money, maybe_pg_lsn,
      maybe_regclass, maybe_xid, maybe_cid, maybe_tid, maybe_point, maybe_line,
      maybe_lseg, maybe_box, maybe_path, maybe_polygon, maybe_circle, maybe_tsvector,
      maybe_tsquery, maybe_jsonpath, maybe_hstore, maybe_int4range, maybe_int8range, maybe_numrange,
      maybe_tsrange, maybe_tstzrange, maybe_daterange, maybe_int4multirange, maybe_int8multirange, maybe_nummultirange,
      maybe_tsmultirange, maybe_tstzmultirange, maybe_datemultirange, maybe_mood,
    ]
  }
  edit "change_together" {
    rows = "many"
    columns = [
      maybe_mood, maybe_datemultirange, maybe_tstzmultirange, maybe_tsmultirange, maybe_nummultirange, maybe_int8multirange,
      maybe_int4multirange, maybe_daterange, maybe_tstzrange, maybe_tsrange, maybe_numrange, maybe_int8range,
      maybe_int4range, maybe_hstore, maybe_jsonpath, maybe_tsquery, maybe_tsvector, maybe_circle,
      maybe_polygon, maybe_path, maybe_box, maybe_lseg, maybe_line, maybe_point,
      maybe_tid, maybe_cid, maybe_xid, maybe_regclass, maybe_pg_lsn, maybe_money,
      maybe_varbit, maybe_bit, maybe_macaddr8, maybe_macaddr, maybe_cidr, maybe_inet,
      maybe_interval, maybe_timetz, maybe_time, maybe_date, maybe_timestamp, maybe_timestamptz,
      maybe_uuid, maybe_jsonb, maybe_json, maybe_bytea, maybe_xml, maybe_ltree,
      maybe_citext, maybe_name, maybe_bpchar, maybe_varchar, maybe_text, maybe_numeric,
      maybe_float8, maybe_float4, maybe_bool, maybe_xid8, maybe_oid, maybe_int8,
      maybe_int4, maybe_int2, a_mood, a_datemultirange, a_tstzmultirange, a_tsmultirange,
      a_nummultirange, a_int8multirange, a_int4multirange, a_daterange, a_tstzrange, a_tsrange,
      a_numrange, a_int8range, a_int4range, a_hstore, a_jsonpath, a_tsquery,
      a_tsvector, a_circle, a_polygon, a_path, a_box, a_lseg,
      a_line, a_point, a_tid, a_cid, a_xid, a_regclass,
      a_pg_lsn, a_money, a_varbit, a_bit, a_macaddr8, a_macaddr,
      a_cidr, a_inet, a_interval, a_timetz, a_time, a_date,
      a_timestamp, a_timestamptz, a_uuid, a_jsonb, a_json, a_bytea,
      a_xml, a_ltree, a_citext, a_name, a_bpchar, a_varchar,
      a_text, a_numeric, a_float8, a_float4, a_bool, a_xid8,
      a_oid, a_int8, a_int4, a_int2,
    ]
  }
}

table "lists" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "a_int2" { type = list(smallint) }
  column "a_int4" { type = list(integer) }
  column "a_int8" { type = list(bigint) }
  column "a_oid" { type = list(oid) }
  column "a_xid8" { type = list(type("xid8")) }
  column "a_bool" { type = list(boolean) }
  column "a_float4" { type = list(real) }
  column "a_float8" { type = list(double_precision) }
  column "a_numeric" { type = list(numeric) }
  column "a_text" { type = list(text) }
  column "a_varchar" { type = list(varchar(40)) }
  column "a_bpchar" {
    type  = list(bpchar(1))
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_name" { type = list(name) }
  column "a_citext" { type = list(type("public.citext")) }
  column "a_ltree" { type = list(type("public.ltree")) }
  column "a_xml" { type = list(xml) }
  column "a_bytea" { type = list(bytea) }
  column "a_json" {
    type  = list(json)
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_jsonb" { type = list(jsonb) }
  column "a_uuid" { type = list(uuid) }
  column "a_timestamptz" { type = list(timestamptz) }
  column "a_timestamp" {
    type  = list(timestamp)
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_date" { type = list(date) }
  column "a_time" { type = list(time) }
  column "a_timetz" {
    type  = list(timetz)
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_interval" { type = list(interval) }
  column "a_inet" { type = list(inet) }
  column "a_cidr" { type = list(cidr) }
  column "a_macaddr" { type = list(macaddr) }
  column "a_macaddr8" { type = list(macaddr8) }
  column "a_bit" { type = list(bit(1)) }
  column "a_varbit" { type = list(varbit(8)) }
  column "a_money" {
    type  = list(money)
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_pg_lsn" { type = list(pg_lsn) }
  column "a_regclass" { type = list(type("regclass")) }
  column "a_xid" { type = list(type("xid")) }
  column "a_cid" { type = list(type("cid")) }
  column "a_tid" { type = list(type("tid")) }
  column "a_point" { type = list(point) }
  column "a_line" { type = list(line) }
  column "a_lseg" { type = list(lseg) }
  column "a_box" { type = list(box) }
  column "a_path" { type = list(path) }
  column "a_polygon" { type = list(polygon) }
  column "a_circle" { type = list(circle) }
  column "a_tsvector" { type = list(tsvector) }
  column "a_tsquery" { type = list(tsquery) }
  column "a_jsonpath" { type = list(jsonpath) }
  column "a_hstore" { type = list(type("public.hstore")) }
  column "a_int4range" { type = list(int4range) }
  column "a_int8range" { type = list(int8range) }
  column "a_numrange" { type = list(numrange) }
  column "a_tsrange" { type = list(tsrange) }
  column "a_tstzrange" { type = list(tstzrange) }
  column "a_daterange" { type = list(daterange) }
  column "a_int4multirange" { type = list(int4multirange) }
  column "a_int8multirange" { type = list(int8multirange) }
  column "a_nummultirange" { type = list(nummultirange) }
  column "a_tsmultirange" { type = list(tsmultirange) }
  column "a_tstzmultirange" { type = list(tstzmultirange) }
  column "a_datemultirange" { type = list(datemultirange) }
  column "a_mood" { type = list(enum.mood) }
  column "sparse_int2" {
    type              = list(smallint)
    null              = true
    elements_nullable = true
  }
  column "sparse_int4" {
    type              = list(integer)
    null              = true
    elements_nullable = true
  }
  column "sparse_int8" {
    type              = list(bigint)
    null              = true
    elements_nullable = true
  }
  column "sparse_oid" {
    type              = list(oid)
    null              = true
    elements_nullable = true
  }
  column "sparse_xid8" {
    type              = list(type("xid8"))
    null              = true
    elements_nullable = true
  }
  column "sparse_bool" {
    type              = list(boolean)
    null              = true
    elements_nullable = true
  }
  column "sparse_float4" {
    type              = list(real)
    null              = true
    elements_nullable = true
  }
  column "sparse_float8" {
    type              = list(double_precision)
    null              = true
    elements_nullable = true
  }
  column "sparse_numeric" {
    type              = list(numeric)
    null              = true
    elements_nullable = true
  }
  column "sparse_text" {
    type              = list(text)
    null              = true
    elements_nullable = true
  }
  column "sparse_varchar" {
    type              = list(varchar(40))
    null              = true
    elements_nullable = true
  }
  column "sparse_bpchar" {
    type              = list(bpchar(1))
    null              = true
    elements_nullable = true
    allow             = { discouraged-type = "its mapping is tested" }
  }
  column "sparse_name" {
    type              = list(name)
    null              = true
    elements_nullable = true
  }
  column "sparse_citext" {
    type              = list(type("public.citext"))
    null              = true
    elements_nullable = true
  }
  column "sparse_ltree" {
    type              = list(type("public.ltree"))
    null              = true
    elements_nullable = true
  }
  column "sparse_xml" {
    type              = list(xml)
    null              = true
    elements_nullable = true
  }
  column "sparse_bytea" {
    type              = list(bytea)
    null              = true
    elements_nullable = true
  }
  column "sparse_json" {
    type              = list(json)
    null              = true
    elements_nullable = true
    allow             = { discouraged-type = "its mapping is tested" }
  }
  column "sparse_jsonb" {
    type              = list(jsonb)
    null              = true
    elements_nullable = true
  }
  column "sparse_uuid" {
    type              = list(uuid)
    null              = true
    elements_nullable = true
  }
  column "sparse_timestamptz" {
    type              = list(timestamptz)
    null              = true
    elements_nullable = true
  }
  column "sparse_timestamp" {
    type              = list(timestamp)
    null              = true
    elements_nullable = true
    allow             = { discouraged-type = "its mapping is tested" }
  }
  column "sparse_date" {
    type              = list(date)
    null              = true
    elements_nullable = true
  }
  column "sparse_time" {
    type              = list(time)
    null              = true
    elements_nullable = true
  }
  column "sparse_timetz" {
    type              = list(timetz)
    null              = true
    elements_nullable = true
    allow             = { discouraged-type = "its mapping is tested" }
  }
  column "sparse_interval" {
    type              = list(interval)
    null              = true
    elements_nullable = true
  }
  column "sparse_inet" {
    type              = list(inet)
    null              = true
    elements_nullable = true
  }
  column "sparse_cidr" {
    type              = list(cidr)
    null              = true
    elements_nullable = true
  }
  column "sparse_macaddr" {
    type              = list(macaddr)
    null              = true
    elements_nullable = true
  }
  column "sparse_macaddr8" {
    type              = list(macaddr8)
    null              = true
    elements_nullable = true
  }
  column "sparse_bit" {
    type              = list(bit(1))
    null              = true
    elements_nullable = true
  }
  column "sparse_varbit" {
    type              = list(varbit(8))
    null              = true
    elements_nullable = true
  }
  column "sparse_money" {
    type              = list(money)
    null              = true
    elements_nullable = true
    allow             = { discouraged-type = "its mapping is tested" }
  }
  column "sparse_pg_lsn" {
    type              = list(pg_lsn)
    null              = true
    elements_nullable = true
  }
  column "sparse_regclass" {
    type              = list(type("regclass"))
    null              = true
    elements_nullable = true
  }
  column "sparse_xid" {
    type              = list(type("xid"))
    null              = true
    elements_nullable = true
  }
  column "sparse_cid" {
    type              = list(type("cid"))
    null              = true
    elements_nullable = true
  }
  column "sparse_tid" {
    type              = list(type("tid"))
    null              = true
    elements_nullable = true
  }
  column "sparse_point" {
    type              = list(point)
    null              = true
    elements_nullable = true
  }
  column "sparse_line" {
    type              = list(line)
    null              = true
    elements_nullable = true
  }
  column "sparse_lseg" {
    type              = list(lseg)
    null              = true
    elements_nullable = true
  }
  column "sparse_box" {
    type              = list(box)
    null              = true
    elements_nullable = true
  }
  column "sparse_path" {
    type              = list(path)
    null              = true
    elements_nullable = true
  }
  column "sparse_polygon" {
    type              = list(polygon)
    null              = true
    elements_nullable = true
  }
  column "sparse_circle" {
    type              = list(circle)
    null              = true
    elements_nullable = true
  }
  column "sparse_tsvector" {
    type              = list(tsvector)
    null              = true
    elements_nullable = true
  }
  column "sparse_tsquery" {
    type              = list(tsquery)
    null              = true
    elements_nullable = true
  }
  column "sparse_jsonpath" {
    type              = list(jsonpath)
    null              = true
    elements_nullable = true
  }
  column "sparse_hstore" {
    type              = list(type("public.hstore"))
    null              = true
    elements_nullable = true
  }
  column "sparse_int4range" {
    type              = list(int4range)
    null              = true
    elements_nullable = true
  }
  column "sparse_int8range" {
    type              = list(int8range)
    null              = true
    elements_nullable = true
  }
  column "sparse_numrange" {
    type              = list(numrange)
    null              = true
    elements_nullable = true
  }
  column "sparse_tsrange" {
    type              = list(tsrange)
    null              = true
    elements_nullable = true
  }
  column "sparse_tstzrange" {
    type              = list(tstzrange)
    null              = true
    elements_nullable = true
  }
  column "sparse_daterange" {
    type              = list(daterange)
    null              = true
    elements_nullable = true
  }
  column "sparse_int4multirange" {
    type              = list(int4multirange)
    null              = true
    elements_nullable = true
  }
  column "sparse_int8multirange" {
    type              = list(int8multirange)
    null              = true
    elements_nullable = true
  }
  column "sparse_nummultirange" {
    type              = list(nummultirange)
    null              = true
    elements_nullable = true
  }
  column "sparse_tsmultirange" {
    type              = list(tsmultirange)
    null              = true
    elements_nullable = true
  }
  column "sparse_tstzmultirange" {
    type              = list(tstzmultirange)
    null              = true
    elements_nullable = true
  }
  column "sparse_datemultirange" {
    type              = list(datemultirange)
    null              = true
    elements_nullable = true
  }
  column "sparse_mood" {
    type              = list(enum.mood)
    null              = true
    elements_nullable = true
  }
  primary_key { columns = [id] }
  edit "change" {
    columns = [
      a_int2, a_int4, a_int8, a_oid, a_xid8, a_bool,
      a_float4, a_float8, a_numeric, a_text, a_varchar, a_bpchar,
      a_name, a_citext, a_ltree, a_xml, a_bytea, a_json,
      a_jsonb, a_uuid, a_timestamptz, a_timestamp, a_date, a_time,
      a_timetz, a_interval, a_inet, a_cidr, a_macaddr, a_macaddr8,
      a_bit, a_varbit, a_money, a_pg_lsn, a_regclass, a_xid,
      a_cid, a_tid, a_point, a_line, a_lseg, a_box,
      a_path, a_polygon, a_circle, a_tsvector, a_tsquery, a_jsonpath,
      a_hstore, a_int4range, a_int8range, a_numrange, a_tsrange, a_tstzrange,
      a_daterange, a_int4multirange, a_int8multirange, a_nummultirange, a_tsmultirange, a_tstzmultirange,
      a_datemultirange, a_mood, sparse_int2, sparse_int4, sparse_int8, sparse_oid,
      sparse_xid8, sparse_bool, sparse_float4, sparse_float8, sparse_numeric, sparse_text,
      sparse_varchar, sparse_bpchar, sparse_name, sparse_citext, sparse_ltree, sparse_xml,
      sparse_bytea, sparse_json, sparse_jsonb, sparse_uuid, sparse_timestamptz, sparse_timestamp,
      sparse_date, sparse_time, sparse_timetz, sparse_interval, sparse_inet, sparse_cidr,
      sparse_macaddr, sparse_macaddr8, sparse_bit, sparse_varbit, sparse_money, sparse_pg_lsn,
      sparse_regclass, sparse_xid, sparse_cid, sparse_tid, sparse_point, sparse_line,
      sparse_lseg, sparse_box, sparse_path, sparse_polygon, sparse_circle, sparse_tsvector,
      sparse_tsquery, sparse_jsonpath, sparse_hstore, sparse_int4range, sparse_int8range, sparse_numrange,
      sparse_tsrange, sparse_tstzrange, sparse_daterange, sparse_int4multirange, sparse_int8multirange, sparse_nummultirange,
      sparse_tsmultirange, sparse_tstzmultirange, sparse_datemultirange, sparse_mood,
    ]
  }
  edit "change_together" {
    rows = "many"
    columns = [
      sparse_mood, sparse_datemultirange, sparse_tstzmultirange, sparse_tsmultirange, sparse_nummultirange, sparse_int8multirange,
      sparse_int4multirange, sparse_daterange, sparse_tstzrange, sparse_tsrange, sparse_numrange, sparse_int8range,
      sparse_int4range, sparse_hstore, sparse_jsonpath, sparse_tsquery, sparse_tsvector, sparse_circle,
      sparse_polygon, sparse_path, sparse_box, sparse_lseg, sparse_line, sparse_point,
      sparse_tid, sparse_cid, sparse_xid, sparse_regclass, sparse_pg_lsn, sparse_money,
      sparse_varbit, sparse_bit, sparse_macaddr8, sparse_macaddr, sparse_cidr, sparse_inet,
      sparse_interval, sparse_timetz, sparse_time, sparse_date, sparse_timestamp, sparse_timestamptz,
      sparse_uuid, sparse_jsonb, sparse_json, sparse_bytea, sparse_xml, sparse_ltree,
      sparse_citext, sparse_name, sparse_bpchar, sparse_varchar, sparse_text, sparse_numeric,
      sparse_float8, sparse_float4, sparse_bool, sparse_xid8, sparse_oid, sparse_int8,
      sparse_int4, sparse_int2, a_mood, a_datemultirange, a_tstzmultirange, a_tsmultirange,
      a_nummultirange, a_int8multirange, a_int4multirange, a_daterange, a_tstzrange, a_tsrange,
      a_numrange, a_int8range, a_int4range, a_hstore, a_jsonpath, a_tsquery,
      a_tsvector, a_circle, a_polygon, a_path, a_box, a_lseg,
      a_line, a_point, a_tid, a_cid, a_xid, a_regclass,
      a_pg_lsn, a_money, a_varbit, a_bit, a_macaddr8, a_macaddr,
      a_cidr, a_inet, a_interval, a_timetz, a_time, a_date,
      a_timestamp, a_timestamptz, a_uuid, a_jsonb, a_json, a_bytea,
      a_xml, a_ltree, a_citext, a_name, a_bpchar, a_varchar,
      a_text, a_numeric, a_float8, a_float4, a_bool, a_xid8,
      a_oid, a_int8, a_int4, a_int2,
    ]
  }
}

# What stands in the parentheses, and how a type is spelled, is no part of how a value travels.
table "modified" {
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "a_exact" { type = numeric(12, 2) }
  column "a_instant" { type = timestamptz(3) }
  column "a_clock" { type = time(3) }
  column "a_length" { type = interval(0) }
  column "a_mask" { type = bit(8) }
  column "a_padded" {
    type  = char(4)
    allow = { discouraged-type = "its mapping is tested" }
  }
  column "a_spelled" { type = type("DECIMAL(12, 2)") }
  column "a_qualified" { type = type("pg_catalog.int8") }
  column "a_exacts" { type = list(numeric(12, 2)) }
  primary_key { columns = [id] }
  edit "change" { columns = [a_exact, a_instant, a_clock, a_length, a_mask, a_padded, a_spelled, a_qualified, a_exacts] }
  edit "change_together" {
    rows = "many"
    columns = [
      a_exacts, a_qualified, a_spelled, a_padded, a_mask, a_length,
      a_clock, a_instant, a_exact,
    ]
  }
}
