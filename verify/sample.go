package verify

import (
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// sampleOf is a value of a type for an argument that no column tells more of;
// clients get different ones where the type has several.
func sampleOf(t ir.Type, client int) *string {
	n := strconv.Itoa(client + 1)
	switch t.Base().Name {
	case "bool":
		return ptr("true")
	case "int2", "int4", "int8", "numeric", "float4", "float8":
		return ptr("1")
	case "date", "timestamp", "timestamptz":
		return ptr("2099-01-0" + n)
	case "time", "timetz":
		return ptr("0" + n + ":00:00")
	case "interval":
		return ptr(n + " hours")
	case "uuid":
		return ptr("00000000-0000-4000-8000-00000000000" + n)
	case "json", "jsonb":
		return ptr(`{"client": ` + n + `}`)
	case "bytea":
		return ptr(`\x0` + n)
	}
	return ptr("v" + n)
}

func ptr(s string) *string { return &s }
