-- Writes functions.txt: the functions of pg_catalog that an expression can call,
-- with their kind and volatility. Run it on PostgreSQL 15 when the list is to change:
--   psql -X -q -f functions.sql > functions.txt
COPY (
  SELECT proname || ' ' ||
    CASE WHEN bool_or(prokind = 'a') THEN 'a' WHEN bool_or(prokind = 'w') THEN 'w' WHEN bool_or(proretset) THEN 's' ELSE 'f' END || ' ' ||
    CASE WHEN count(DISTINCT provolatile) > 1 THEN '?' ELSE min(provolatile::text) END
  FROM pg_proc p
  WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a', 'w')
    -- not callable from SQL, or only behind an operator
    AND NOT EXISTS (SELECT FROM unnest(proargtypes) t WHERE t IN ('internal'::regtype, 'cstring'::regtype))
    AND prorettype NOT IN ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype, 'event_trigger'::regtype)
    AND prolang IN (SELECT oid FROM pg_language WHERE lanname IN ('internal', 'sql'))
    AND NOT EXISTS (
      SELECT FROM pg_operator o
      WHERE o.oprcode = p.oid AND obj_description(p.oid, 'pg_proc') LIKE 'implementation of%'
    )
    AND proname !~ '^(pg_stat_get|pg_logical|pg_replication|binary_upgrade|bt.*cmp|RI_)|(send|recv)$'
  GROUP BY proname
  ORDER BY proname COLLATE "C"
) TO STDOUT
