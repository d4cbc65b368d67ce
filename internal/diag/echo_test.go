package diag

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
)

func TestFold(t *testing.T) {
	named := func(code Code, line int, detail string) Diagnostic {
		return Diagnostic{Code: code, Detail: detail, Subject: hcl.Range{Filename: "a.hcl", Start: hcl.Pos{Line: line}}}
	}
	list := List{
		named(UnknownColumn, 1, "no x."), named(UnknownColumn, 2, "no y."), named(UnknownColumn, 3, "no x."), named(Cycle, 4, "no x."),
		named(UnknownColumn, 5, "no x."), named(UnknownColumn, 6, "no x."), named(UnknownColumn, 7, "no x."), named(Cycle, 8, "no x."),
	}
	list.Fold(UnknownColumn)
	if len(list) != 4 {
		t.Fatalf("%d are left: %+v", len(list), list)
	}
	x := list[0]
	if x.Detail != "no x. It is named in 5 places." || len(x.Related) != shownEchoes || x.Related[2].Range.Start.Line != 6 {
		t.Errorf("got %+v", x)
	}
	if list[1].Detail != "no y." || len(list[1].Related) > 0 || list[3].Subject.Start.Line != 8 {
		t.Errorf("got %+v", list)
	}
}
