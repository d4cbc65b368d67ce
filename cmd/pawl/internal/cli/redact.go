package cli

import (
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// hidden stands where a password stood.
const hidden = "xxxxx"

// Passwords in what people type. These read the texts of errors, which have no
// grammar; what is known to be a connection string is parsed (see target).
var (
	urlPassword     = regexp.MustCompile(`(\w+://[^\s:/@]*):[^\s/]*@`)
	keywordPassword = regexp.MustCompile(`(?i)\b((?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s&]+)`)
)

// scrub hides the passwords of connection strings in a text.
func scrub(text string) string {
	text = urlPassword.ReplaceAllString(text, "$1:"+hidden+"@")
	return keywordPassword.ReplaceAllString(text, "${1}"+hidden)
}

// scrubSecret hides a known password too, wherever it stands. A very short one
// is left to scrub: it would match half the words.
func scrubSecret(text, secret string) string {
	if len(secret) >= 4 {
		text = strings.ReplaceAll(text, secret, hidden)
		text = strings.ReplaceAll(text, url.QueryEscape(secret), hidden)
		text = strings.ReplaceAll(text, url.PathEscape(secret), hidden)
	}
	return scrub(text)
}

// target names a database for people: user, host and database, no password.
func target(config *pgx.ConnConfig) string {
	host := config.Host
	if !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(host, strconv.Itoa(int(config.Port)))
	}
	return config.User + "@" + host + "/" + config.Database
}
