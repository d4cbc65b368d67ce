package devdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeInstall makes a bin folder whose programs only know their version.
func fakeInstall(t *testing.T, dir, version string) string {
	t.Helper()
	script(t, filepath.Join(dir, "postgres"), fmt.Sprintf("echo 'postgres (PostgreSQL) %s'", version))
	script(t, filepath.Join(dir, "initdb"), "exit 0")
	return dir
}

func script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for dir, version := range map[string]string{
		"deb/13/bin": "13.20", "deb/15/bin": "15.18 (Debian 15.18-0+deb12u1)", "deb/16/bin": "16.3",
		"other/16/bin": "16.10", "linked/14/bin": "14.2", "config/17/bin": "17beta1",
		"fallback/18/bin": "18.0",
	} {
		fakeInstall(t, at(dir), version)
	}
	// A link in PATH to a postgres whose initdb stands elsewhere.
	if err := os.MkdirAll(at("path"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("linked/14/bin/postgres"), at("path/postgres")); err != nil {
		t.Fatal(err)
	}
	script(t, at("path/pg_config"), "echo '"+at("config/17/bin")+"'")
	// Half an installation: clients only.
	script(t, at("clients/psql"), "exit 0")
	// An installation that does not run.
	script(t, at("broken/postgres"), "exit 3")
	script(t, at("broken/initdb"), "exit 3")

	for _, test := range []struct {
		name   string
		search search
		major  int
		dir    string // "" when nothing is to be found
	}{
		{"the newest of a glob", search{folders: []string{at("deb/*/bin")}}, 0, "deb/16/bin"},
		{"the minor counts too", search{folders: []string{at("deb/*/bin"), at("other/*/bin")}}, 0, "other/16/bin"},
		{"exactly the major asked for", search{folders: []string{at("deb/*/bin")}}, 15, "deb/15/bin"},
		{"too old ones do not count", search{folders: []string{at("deb/13/bin")}}, 0, ""},
		{"a link in PATH is followed", search{path: at("path")}, 14, "linked/14/bin"},
		{"pg_config is asked", search{path: at("path")}, 17, "config/17/bin"},
		{"clients and broken ones are passed over", search{path: at("clients"), folders: []string{at("broken"), at("deb/15/bin")}}, 0, "deb/15/bin"},
		{"a fetched build only when nothing else fits", search{folders: []string{at("deb/*/bin")}, fallback: []string{at("fallback/18/bin")}}, 0, "deb/16/bin"},
		{"a fetched build when nothing else fits", search{folders: []string{at("deb/*/bin")}, fallback: []string{at("fallback/18/bin")}}, 18, "fallback/18/bin"},
		{"nothing at all", search{}, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.search.find(test.major)
			if test.dir == "" {
				if !errors.Is(err, ErrNotFound) {
					t.Fatalf("found %+v, %v; want ErrNotFound", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := filepath.EvalSymlinks(at(test.dir))
			if err != nil {
				t.Fatal(err)
			}
			if got.Dir != want {
				t.Errorf("found %s, want %s", got.Dir, want)
			}
		})
	}
}

func TestNotFoundSaysWhatToInstall(t *testing.T) {
	dir := fakeInstall(t, t.TempDir(), "15.1")
	for _, test := range []struct {
		search search
		major  int
		want   []string
	}{
		{search{}, 0, []string{"PostgreSQL 14 or newer", "apt-get install postgresql\n", "dnf install postgresql-server", "brew install postgresql@", "--url"}},
		{search{folders: []string{dir}}, 16, []string{"needs PostgreSQL 16", "found, but not fit: 15.1 in " + dir, "apt-get install postgresql-16", "brew install postgresql@16"}},
	} {
		_, err := test.search.find(test.major)
		if !errors.Is(err, ErrNotFound) {
			t.Fatalf("error %v, want ErrNotFound", err)
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error does not say %q:\n%v", want, err)
			}
		}
	}
	if _, err := Find(MinMajor - 1); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("Find(%d) = %v", MinMajor-1, err)
	}
}

func TestAtSaysWhatIsMissing(t *testing.T) {
	half := t.TempDir()
	script(t, filepath.Join(half, "postgres"), "echo 'postgres (PostgreSQL) 15.1'")
	odd := fakeInstall(t, t.TempDir(), "of the sea")
	for dir, want := range map[string]string{
		filepath.Join(half, "no-such"): "postgres is missing",
		half:                           "initdb is missing",
		odd:                            "does not name a PostgreSQL version",
	} {
		if _, err := At(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("At(%s) = %v, want an error saying %q", dir, err, want)
		}
	}
	if _, err := Start(t.Context(), Options{BinDir: fakeInstall(t, t.TempDir(), "15.1"), Major: 16}); err == nil || !strings.Contains(err.Error(), "16 was asked for") {
		t.Errorf("a bin folder of 15 passes for 16: %v", err)
	}
}

func TestParseVersion(t *testing.T) {
	for out, want := range map[string]Binaries{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": {Version: "15.18", Major: 15},
		"postgres (PostgreSQL) 19beta1":                          {Version: "19beta1", Major: 19},
		"postgres (PostgreSQL) 18":                               {Version: "18", Major: 18},
	} {
		version, major, err := parseVersion(out)
		if err != nil || version != want.Version || major != want.Major {
			t.Errorf("parseVersion(%q) = %s, %d, %v", out, version, major, err)
		}
	}
	for _, out := range []string{"", "psql 15", "postgres (PostgreSQL) ", "postgres (PostgreSQL) x.1"} {
		if _, _, err := parseVersion(out); err == nil {
			t.Errorf("parseVersion(%q) finds a version", out)
		}
	}
}
