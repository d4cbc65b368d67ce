package devdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

// MinMajor is the oldest PostgreSQL that pawl supports.
const MinMajor = 14

// Binaries is one PostgreSQL installation able to run a server.
type Binaries struct {
	// Dir is the folder that holds postgres and initdb.
	Dir string
	// Version is what `postgres --version` calls itself, such as "15.18".
	Version string
	// Major is the leading number of Version.
	Major int
}

// ErrNotFound is wrapped by the error of [Find] and [Start] when no usable
// PostgreSQL is installed. The whole message says what to install.
var ErrNotFound = errors.New("no PostgreSQL server binaries")

// installFolders are the places where packages put server binaries outside PATH.
var installFolders = []string{
	"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                   // Fedora and RHEL from postgresql.org
	"/usr/bin",                                           // Fedora, Arch
	"/usr/lib/postgresql*/bin",                           // openSUSE
	"/usr/libexec/postgresql*",                           // Alpine
	"/opt/homebrew/opt/postgresql@*/bin",                 // Homebrew on Apple silicon
	"/usr/local/opt/postgresql@*/bin",                    // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",    // Homebrew on Linux
	"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
	"/usr/local/pgsql/bin",                               // built from source
	"/usr/local/bin",                                     // FreeBSD
}

// search says where Find looks; tests replace it.
type search struct {
	path     string   // as in $PATH
	folders  []string // glob patterns of bin folders
	fallback []string // bin folders used only when nothing else fits
}

// Find returns the newest installed PostgreSQL of at least [MinMajor], or, with
// a major other than 0, the newest of exactly that major. It looks in PATH, asks
// pg_config, then tries the usual folders of Debian, Fedora, Homebrew and others,
// and at last the builds that pawl itself has fetched. When nothing fits the
// error wraps [ErrNotFound] and says what to install.
func Find(major int) (Binaries, error) {
	return search{
		path:     os.Getenv("PATH"),
		folders:  installFolders,
		fallback: fetchedBinDirs(),
	}.find(major)
}

// At returns the installation whose bin folder is dir. It fails when dir lacks
// postgres or initdb, or when postgres does not run there.
func At(dir string) (Binaries, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Binaries{}, fmt.Errorf("PostgreSQL bin folder %s: %w", dir, err)
	}
	for _, name := range []string{"postgres", "initdb"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return Binaries{}, fmt.Errorf("%s is not a PostgreSQL bin folder: %s is missing there or may not be executed", dir, name)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	version, major, err := parseVersion(string(out))
	if err != nil {
		return Binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	return Binaries{Dir: dir, Version: version, Major: major}, nil
}

// parseVersion reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)" and
// "postgres (PostgreSQL) 19beta1".
func parseVersion(out string) (version string, major int, err error) {
	_, rest, ok := strings.Cut(out, "(PostgreSQL) ")
	fields := strings.Fields(rest)
	if !ok || len(fields) == 0 {
		return "", 0, fmt.Errorf("%q does not name a PostgreSQL version", strings.TrimSpace(out))
	}
	version = fields[0]
	digits := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(version)
	}
	major, err = strconv.Atoi(version[:digits])
	if err != nil {
		return "", 0, fmt.Errorf("%q does not name a PostgreSQL version", strings.TrimSpace(out))
	}
	return version, major, nil
}

func (s search) find(major int) (Binaries, error) {
	if major != 0 && major < MinMajor {
		return Binaries{}, fmt.Errorf("PostgreSQL %d is too old: pawl needs %d or newer", major, MinMajor)
	}
	var seen []Binaries
	for _, dirs := range [][]string{s.installed(), s.fallback} {
		found := usable(dirs)
		seen = append(seen, found...)
		if best, ok := newest(found, major); ok {
			return best, nil
		}
	}
	return Binaries{}, notFound(major, seen)
}

// installed lists the distinct bin folders to try, symlinks resolved: a link to
// postgres in /usr/local/bin has no initdb beside it, its target has.
func (s search) installed() []string {
	var dirs []string
	for _, dir := range filepath.SplitList(s.path) {
		if target, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres")); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
		if dir := pgConfigBinDir(filepath.Join(dir, "pg_config")); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	for _, pattern := range s.folders {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue // a constant pattern: only a test could write a bad one
		}
		dirs = append(dirs, matches...)
	}
	distinct := make(map[string]bool, len(dirs))
	kept := dirs[:0]
	for _, dir := range dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !distinct[real] {
			distinct[real] = true
			kept = append(kept, real)
		}
	}
	return kept
}

// pgConfigBinDir asks one pg_config where its server lives; "" when it cannot say.
func pgConfigBinDir(pgConfig string) string {
	if _, err := exec.LookPath(pgConfig); err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, pgConfig, "--bindir").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func usable(dirs []string) []Binaries {
	var found []Binaries
	for _, dir := range dirs {
		if b, err := At(dir); err == nil {
			found = append(found, b)
		}
	}
	return found
}

// newest picks the highest major (or the given one), then the highest version;
// among equals the first found wins, so that PATH has the last word.
func newest(found []Binaries, major int) (Binaries, bool) {
	var fit []Binaries
	for _, b := range found {
		if b.Major >= MinMajor && (major == 0 || b.Major == major) {
			fit = append(fit, b)
		}
	}
	sort.SliceStable(fit, func(i, j int) bool {
		if fit[i].Major != fit[j].Major {
			return fit[i].Major > fit[j].Major
		}
		return fit[i].minor() > fit[j].minor()
	})
	if len(fit) == 0 {
		return Binaries{}, false
	}
	return fit[0], true
}

// minor is the number after the dot; 0 for betas, which have none.
func (b Binaries) minor() int {
	_, after, _ := strings.Cut(b.Version, ".")
	n, err := strconv.Atoi(after)
	if err != nil {
		return 0
	}
	return n
}

func (b Binaries) program(name string) string { return filepath.Join(b.Dir, name) }

func notFound(major int, seen []Binaries) error {
	wanted := fmt.Sprintf("PostgreSQL %d or newer", MinMajor)
	debian, brew := "postgresql", "postgresql@17"
	if major != 0 {
		wanted = fmt.Sprintf("PostgreSQL %d", major)
		debian, brew = fmt.Sprintf("postgresql-%d", major), fmt.Sprintf("postgresql@%d", major)
	}
	var also string
	if len(seen) > 0 {
		var list []string
		for _, b := range seen {
			list = append(list, fmt.Sprintf("%s in %s", b.Version, b.Dir))
		}
		also = "\n  found, but not fit: " + strings.Join(list, "; ")
	}
	return fmt.Errorf("%w: a private server needs %s (postgres and initdb), and none was found in PATH, by pg_config or in the usual folders%s\n"+
		"  Debian, Ubuntu: apt-get install %s\n"+
		"  Fedora, RHEL:   dnf install postgresql-server postgresql-contrib\n"+
		"  macOS:          brew install %s\n"+
		"  or name a server of your own: --url postgres://…", ErrNotFound, wanted, also, debian, brew)
}
