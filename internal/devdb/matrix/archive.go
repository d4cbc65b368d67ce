package matrix

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// insideBuild turns a name such as "native/lib/x" into "lib/x". ok is false for
// one that is not below native/.
func insideBuild(name string) (path string, ok bool) {
	rest, ok := strings.CutPrefix(name, "native/")
	return rest, ok && filepath.IsLocal(rest)
}

// unpack writes the PostgreSQL files of an npm archive, which are those below
// package/native/, to the folder build.
func unpack(archive io.Reader, build string) error {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, inPackage := strings.CutPrefix(header.Name, "package/")
		if !inPackage || !strings.HasPrefix(name, "native/") || header.Typeflag == tar.TypeDir {
			continue
		}
		path, ok := insideBuild(name)
		if !ok || header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is not a plain file of the package", header.Name)
		}
		if err := writeFile(filepath.Join(build, path), files, header.FileInfo().Mode().Perm()); err != nil {
			return err
		}
	}
}

func writeFile(path string, content io.Reader, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	// Readable for all: for root another account runs the server.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o444)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
