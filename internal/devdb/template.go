package devdb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// templateFormat is part of the name of a cached data folder. Change it with the
// arguments of initdb.
const templateFormat = "1"

// superuser is the one role of a new server. Its name is the same everywhere, so
// that what the SQL says does not depend on who runs it.
const superuser = "postgres"

// fillDataDir makes data a fresh data folder: a copy of the cached one for these
// binaries, or initdb's work, which then becomes the cached one. A cache that
// cannot be used costs the time of an initdb, never the start.
func fillDataDir(ctx context.Context, bin Binaries, data string, owner account, progress io.Writer) error {
	template, cacheErr := templateDir(bin)
	if cacheErr == nil {
		if _, err := os.Stat(template); err == nil {
			if err := copyTree(ctx, template, data, owner); err == nil {
				return nil
			} else if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), os.RemoveAll(data))
			}
			// Half a copy (a cache being removed by hand): begin anew.
			if err := os.RemoveAll(data); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(progress, "preparing PostgreSQL %s for its first start\n", bin.Version)
	if err := initDB(ctx, bin, data, owner); err != nil {
		return errors.Join(err, os.RemoveAll(data))
	}
	if cacheErr == nil {
		cacheErr = saveTemplate(ctx, data, template)
	}
	if cacheErr != nil {
		fmt.Fprintf(progress, "the prepared data folder could not be cached, so the next start will be slow too: %v\n", cacheErr)
	}
	return nil
}

// templateDir names the cached data folder for bin. A reinstalled PostgreSQL gets
// another name, because a data folder fits only the build that made it.
func templateDir(bin Binaries) (string, error) {
	info, err := os.Stat(bin.program("initdb"))
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("%s|%s|%s|%d|%d", templateFormat, bin.Dir, bin.Version, info.Size(), info.ModTime().UnixNano())
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(cache, fmt.Sprintf("data-%d-%s", bin.Major, hex.EncodeToString(sum[:6]))), nil
}

// cacheDir is this user's folder for prepared data folders, made if need be. It
// is in the temporary folder for users without a home. Whoever could write there
// could plant a data folder, so that one owned by another user is refused.
func cacheDir() (string, error) {
	var attempts []error
	for _, dir := range cacheCandidates() {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			attempts = append(attempts, err)
			continue
		}
		self := account{uid: os.Geteuid()}
		if !self.ownsDir(dir) {
			attempts = append(attempts, fmt.Errorf("%s belongs to another user", dir))
			continue
		}
		return dir, nil
	}
	return "", errors.Join(attempts...)
}

func cacheCandidates() []string {
	var dirs []string
	if home, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, "pawl", "pgdata"))
	}
	return append(dirs, filepath.Join(os.TempDir(), fmt.Sprintf("pawl-cache-%d", os.Geteuid())))
}

// initDB makes data with UTF-8, trust on the private socket and the C.UTF-8
// locale, or C where the system has no C.UTF-8 (macOS). TCP is asked for a
// password, which nobody has until Start sets one.
func initDB(ctx context.Context, bin Binaries, data string, owner account) error {
	var failures []error
	for _, locale := range []string{"C.UTF-8", "C"} {
		cmd := exec.CommandContext(ctx, bin.program("initdb"),
			"--pgdata="+data, "--username="+superuser, "--encoding=UTF8", "--locale="+locale,
			"--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "--no-instructions")
		cmd.Dir = filepath.Dir(data)
		cmd.Env = serverEnv(cmd.Dir)
		owner.run(cmd)
		var output bytes.Buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		err := cmd.Run()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("user %d, who runs the private server, may not run %s: make the folders above it passable for everybody: %w", owner.uid, bin.program("initdb"), err)
		}
		failures = append(failures, fmt.Errorf("initdb of PostgreSQL %s: %w\n%s", bin.Version, err, strings.TrimSpace(output.String())))
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

// serverEnv is the environment of the server's programs: none of the caller's PG*
// variables, which would change what they do, and messages in English.
func serverEnv(home string) []string {
	env := []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "HOME=" + home}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// saveTemplate copies data to the cache. The rename makes it appear whole; when
// another process was faster its copy is as good.
func saveTemplate(ctx context.Context, data, template string) error {
	scratch, err := os.MkdirTemp(filepath.Dir(template), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fresh := filepath.Join(scratch, "data")
	if err := copyTree(ctx, data, fresh, account{}); err != nil {
		return err
	}
	err = os.Rename(fresh, template)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// copyTree copies a data folder that no server uses and gives the copy to owner.
func copyTree(ctx context.Context, from, to string, owner account) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case entry.IsDir():
			err = os.Mkdir(target, 0o700)
		case entry.Type().IsRegular():
			err = copyFile(path, target)
		default:
			return fmt.Errorf("%s is neither a file nor a folder", path)
		}
		if err != nil {
			return err
		}
		return owner.own(target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
