package compiler_test

import (
	"strings"
	"testing"
)

// A list of states means the condition that it is short for.
func TestLiveStates(t *testing.T) {
	const text = `
table "seats" {
  live = LIVE
  column "id" {
    type     = bigint
    identity = "always"
  }
  column "holder" { type = bigint }
  column "status" { type = text }
  primary_key { columns = [id] }
  no_duplicates "holder" { columns = [holder] }
  transitions "status" {
    column  = status
    initial = ["held"]
    final   = ["gone"]
    move "confirm" {
      from = ["held"]
      to   = "confirmed"
    }
    move "leave" {
      from = ["held", "confirmed"]
      to   = "gone"
    }
  }
}
`
	list := compile(t, strings.Replace(text, "LIVE", `["held", "confirmed"]`, 1))
	condition := compile(t, strings.Replace(text, "LIVE", `"status IN ('held', 'confirmed')"`, 1))
	if withoutPlaces(t, list) != withoutPlaces(t, condition) {
		t.Error("the list of states and the condition compile to different programs")
	}
	index := wantTable(t, list, "seats").Indexes
	if len(index) == 0 || index[0].Where == "" {
		t.Errorf("the key is not partial: %+v", index)
	}
}
