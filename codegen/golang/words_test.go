package golang

import (
	"go/token"
	"testing"
)

func TestExported(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"id", "ID"},
		{"room_id", "RoomID"},
		{"ids", "IDs"},
		{"api_url", "APIURL"},
		{"utf8_text", "UTF8Text"},
		{"ScriptID", "ScriptID"},
		{"scriptId", "ScriptID"},
		{"HTTPServer", "HTTPServer"},
		{"created at", "CreatedAt"},
		{"parent        id", "ParentID"},
		{"@fancy", "Fancy"},
		{"!!!nobody,really", "NobodyReally"},
		{"_x", "X"},

		// Initialisms are whole words only.
		{"idea", "Idea"},
		{"IDEA", "IDEA"},
		{"SLACK", "SLACK"},
		{"GUIDANCE", "GUIDANCE"},
		{"iPhone", "IPhone"},

		// What Go takes as no exported name gets an X.
		{"13_pg", "X13Pg"},
		{"100begins", "X100begins"},
		{"日本", "X日本"},
		{"été", "Été"},
		{"e\u0301te\u0301", "Ete"}, // combining accents cannot stand in a name
		{"!!!", "BangBangBang"},
		{"", "X"},

		// Digits that meet stay apart.
		{"a_1_2", "A1_2"},
		{"a_12", "A12"},
	} {
		got := exported(test.name)
		if got != test.want {
			t.Errorf("exported(%q) = %q, want %q", test.name, got, test.want)
		}
		if !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("exported(%q) = %q is no exported identifier", test.name, got)
		}
	}
}

func TestLowerCamel(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"id", "id"},
		{"ID", "id"},
		{"room_id", "roomID"},
		{"URLPath", "urlPath"},
		{"IDs", "ids"},
		{"Bookings", "bookings"},
		{"2fa", "x2fa"},
		{"!", "xBang"},
		{"日本", "日本"},
	} {
		if got := lowerCamel(test.name); got != test.want {
			t.Errorf("lowerCamel(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestRowName(t *testing.T) {
	for _, test := range []struct{ table, row, stem string }{
		{"bookings", "Booking", "Booking"},
		{"order_items", "OrderItem", "OrderItem"},
		{"people", "Person", "Person"},
		{"team_people", "TeamPerson", "TeamPerson"},
		{"categories", "Category", "Category"},
		{"boxes", "Box", "Box"},
		{"matches", "Match", "Match"},
		{"caches", "Cache", "Cache"},
		{"addresses", "Address", "Address"},
		{"databases", "Database", "Database"},
		{"responses", "Response", "Response"},
		{"statuses", "Status", "Status"},
		{"ids", "ID", "ID"},
		{"BOOKINGS", "BOOKING", "BOOKING"},

		// No plural: the row is a …Row.
		{"account_projection", "AccountProjectionRow", "AccountProjection"},
		{"status", "StatusRow", "Status"},
		{"news", "NewsRow", "News"},
		{"analysis", "AnalysisRow", "Analysis"},
		{"process", "ProcessRow", "Process"},
		{"日本", "X日本Row", "X日本"},
	} {
		row, stem := rowName(test.table)
		if row != test.row || stem != test.stem {
			t.Errorf("rowName(%q) = %q, %q, want %q, %q", test.table, row, stem, test.row, test.stem)
		}
	}
}

func TestFileName(t *testing.T) {
	for _, test := range []struct{ table, want string }{
		{"bookings", "bookings"},
		{"OrderItems", "order_items"},
		{"x_linux", "x_linux"}, // safe: _gen follows
		{"_x", "x"},            // the go command passes over what begins with _
		{"a/b", "a_b"},
		{"日本", "U65e5U672c"},
		{"..", "xdotdot"},
		{"__", "x__"},
	} {
		if got := fileName(test.table); got != test.want {
			t.Errorf("fileName(%q) = %q, want %q", test.table, got, test.want)
		}
	}
}
