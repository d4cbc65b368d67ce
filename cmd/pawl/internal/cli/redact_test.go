package cli

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestScrub(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"cannot reach postgres://app:s3cret@db:5432/shop", "cannot reach postgres://app:xxxxx@db:5432/shop"},
		{"postgres://app:p@ss:w@db/shop", "postgres://app:xxxxx@db/shop"},
		{"postgres://:s3cret@db/shop", "postgres://:xxxxx@db/shop"},
		{"host=db password=s3cret user=app", "host=db password=xxxxx user=app"},
		{`host=db password='s3 \'cret' user=app`, "host=db password=xxxxx user=app"},
		{"host=db PASSWORD = s3cret", "host=db PASSWORD = xxxxx"},
		{"postgres://db/shop?password=s3cret&sslmode=disable", "postgres://db/shop?password=xxxxx&sslmode=disable"},
		{"sslpassword=s3cret", "sslpassword=xxxxx"},
		{"postgres://app@db/shop at bookings.hcl:3:4", "postgres://app@db/shop at bookings.hcl:3:4"},
		{"password authentication failed", "password authentication failed"},
	} {
		if got := scrub(test.text); got != test.want {
			t.Errorf("scrub(%q)\n got %q\nwant %q", test.text, got, test.want)
		}
	}
}

func TestScrubSecret(t *testing.T) {
	got := scrubSecret("server said: s3cret/word is wrong, s3cret%2Fword too", "s3cret/word")
	if want := "server said: xxxxx is wrong, xxxxx too"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := scrubSecret("as a user", "a"); got != "as a user" {
		t.Errorf("a short password took letters away: %q", got)
	}
}

func TestTargetHasNoPassword(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"postgres://app:s3cret@db:6432/shop", "app@db:6432/shop"},
		{"postgres://app:s3cret@[::1]:6432/shop", "app@[::1]:6432/shop"},
		{"host=/run/pg user=app password=s3cret dbname=shop", "app@/run/pg/shop"},
	} {
		config, err := pgx.ParseConfig(test.url)
		if err != nil {
			t.Fatal(err)
		}
		got := target(config)
		if got != test.want || strings.Contains(got, "s3cret") {
			t.Errorf("target(%q) = %q, want %q", test.url, got, test.want)
		}
	}
}
