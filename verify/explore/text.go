package explore

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// null is how a timeline spells SQL's NULL.
const null = "NULL"

// tableText returns an answer's columns and rows as text, or nil when it has no
// columns.
func tableText(types *pgtype.Map, fields []pgconn.FieldDescription, values [][][]byte) (columns []string, texts [][]string) {
	if len(fields) == 0 {
		return nil, nil
	}
	for _, field := range fields {
		columns = append(columns, field.Name)
	}
	for _, value := range values {
		line := make([]string, len(value))
		for i, raw := range value {
			line[i] = rawText(types, fields[i], raw)
		}
		texts = append(texts, line)
	}
	return columns, texts
}

// rawText returns one value as PostgreSQL would spell it. One of a type that
// only the server knows is shown as its bytes.
func rawText(types *pgtype.Map, field pgconn.FieldDescription, raw []byte) string {
	switch {
	case raw == nil:
		return null
	case field.Format == pgx.TextFormatCode:
		return string(raw)
	}
	value, err := decoded(types, field, raw)
	if err == nil {
		if text, err := types.Encode(field.DataTypeOID, pgx.TextFormatCode, value, nil); err == nil {
			return string(text)
		}
	}
	return hexText(raw)
}

// decoded returns a value as pgx's Rows.Values does.
func decoded(types *pgtype.Map, field pgconn.FieldDescription, raw []byte) (any, error) {
	if raw == nil {
		return nil, nil
	}
	if t, ok := types.TypeForOID(field.DataTypeOID); ok {
		return t.Codec.DecodeValue(types, field.DataTypeOID, field.Format, raw)
	}
	if field.Format == pgx.TextFormatCode {
		return string(raw), nil
	}
	return raw, nil
}

func hexText(b []byte) string { return `\x` + hex.EncodeToString(b) }

func copyTag(n int64) string { return "COPY " + strconv.FormatInt(n, 10) }

// argText returns an argument as text, near to how PostgreSQL spells it.
func argText(v any) string {
	switch v := v.(type) {
	case nil:
		return null
	case string:
		return v
	case []byte:
		if v == nil {
			return null
		}
		return hexText(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case [16]byte:
		return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	case driver.Valuer:
		return valuerText(v)
	case fmt.Stringer:
		if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
			return null
		}
		return v.String()
	}
	return reflectText(reflect.ValueOf(v))
}

// valuerText asks a value how a database should see it.
func valuerText(v driver.Valuer) string {
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
		return null
	}
	value, err := v.Value()
	if err != nil {
		return fmt.Sprint(v)
	}
	return argText(value)
}

// reflectText spells pointers by what they point to, and slices as arrays.
func reflectText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return null
		}
		return argText(v.Elem().Interface())
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return null
		}
		items := make([]string, v.Len())
		for i := range items {
			items[i] = argText(v.Index(i).Interface())
		}
		return "{" + strings.Join(items, ",") + "}"
	case reflect.Map:
		if v.IsNil() {
			return null
		}
	}
	return fmt.Sprint(v.Interface())
}
