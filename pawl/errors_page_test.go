package pawl

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// families are the errors that docs/errors-go.md names.
var families = map[string]error{
	"pawl.ErrDuplicate": ErrDuplicate, "pawl.ErrOverlap": ErrOverlap, "pawl.ErrReference": ErrReference, "pawl.ErrCheck": ErrCheck,
	"pawl.ErrMissing": ErrMissing, "pawl.ErrState": ErrState, "pawl.ErrRule": ErrRule, "pawl.ErrImmutable": ErrImmutable, "pawl.ErrLimit": ErrLimit,
	"pawl.ErrBadInput": ErrBadInput, "pawl.ErrBusy": ErrBusy, "pawl.ErrTimeout": ErrTimeout,
}

// docs/errors-go.md says what each SQLSTATE becomes: each is described as it says,
// and every code that this package tells apart stands in it.
func TestErrorsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/errors-go.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([0-9A-Z]{5})` \\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		documented[row[1]] = row[2]
	}
	for code, is := range documented {
		described := describe("table.test", &pgconn.PgError{Severity: "ERROR", Code: code, Message: "said", Routine: map[string]string{"08P01": "pq_getmsgend"}[code], Detail: "Key (card)=(4111) exists."})
		if is == "*pawl.RetryError" {
			if policy := (Policy{}); !policy.retriesCode(code) {
				t.Errorf("the page says that %s is retried, and it is not", code)
			}
			continue
		}
		if is == "*pawl.IsolationError" {
			var weak *IsolationError
			if !errors.As(described, &weak) {
				t.Errorf("the page says that %s is %s; it is %v", code, is, described)
			}
			continue
		}
		if families[is] == nil || !errors.Is(described, families[is]) {
			t.Errorf("the page says that %s is %s; it is %v", code, is, described)
		}
		for name, family := range families {
			if name != is && errors.Is(described, family) {
				t.Errorf("%s is %s as well", code, name)
			}
		}
		if strings.Contains(described.Error(), "4111") {
			t.Errorf("the text of %s holds a row's values: %v", code, described)
		}
		var server *pgconn.PgError
		if !errors.As(described, &server) {
			t.Errorf("%s has lost the server's error", code)
		}
	}
	source, err := os.ReadFile("constraint.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range regexp.MustCompile(`"([0-9P][0-9A-Z]{4})"`).FindAllStringSubmatch(string(source), -1) {
		if documented[code[1]] == "" {
			t.Errorf("docs/errors-go.md does not say what becomes of %s", code[1])
		}
	}
}
