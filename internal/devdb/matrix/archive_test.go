package matrix

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// archive makes an npm archive of plain files, name after name.
func archive(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	for _, h := range headers {
		content := []byte("content of " + h.Name)
		if h.Typeflag != tar.TypeReg {
			content = nil
		}
		h.Size = int64(len(content))
		if err := files.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

func file(name string, mode int64) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: mode}
}

func TestUnpackTakesThePostgreSQLFiles(t *testing.T) {
	build := filepath.Join(t.TempDir(), "build")
	err := unpack(archive(t,
		file("package/package.json", 0o644),
		file("package/scripts/hydrate-symlinks.js", 0o644),
		file("package/native/bin/postgres", 0o700),
		file("package/native/lib/libicu.so.60.2", 0o600),
	), build)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"bin/postgres": 0o744, "lib/libicu.so.60.2": 0o644} {
		info, err := os.Stat(filepath.Join(build, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != mode {
			t.Errorf("%s has mode %o, want %o", name, info.Mode().Perm(), mode)
		}
	}
	entries, err := os.ReadDir(build)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 {
		t.Errorf("unpacked %v, want bin and lib only", entries)
	}
}

func TestUnpackRefusesToWriteElsewhere(t *testing.T) {
	for _, header := range []tar.Header{
		file("package/native/../../../evil", 0o644),
		file("package/native//etc/evil", 0o644),
		{Name: "package/native/link", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
	} {
		dir := t.TempDir()
		if err := unpack(archive(t, header), filepath.Join(dir, "a", "b")); err == nil {
			t.Errorf("%s (type %c) was unpacked", header.Name, header.Typeflag)
		}
	}
	if err := unpack(bytes.NewBufferString("not an archive"), t.TempDir()); err == nil {
		t.Errorf("what is not an archive was unpacked")
	}
}

func TestRestoreLinks(t *testing.T) {
	build := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := writeFile(filepath.Join(build, name), bytes.NewBufferString(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("lib/libpq.so.5.17", "the library")
	write("pg-symlinks.json", `[{"source":"native/lib/libpq.so.5.17","target":"native/lib/libpq.so.5"}]`)
	for range 2 { // again over links that are there
		if err := restoreLinks(build); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(build, "lib/libpq.so.5"))
	if err != nil || string(text) != "the library" {
		t.Errorf("the link leads to %q, %v", text, err)
	}

	for _, bad := range []string{
		`[{"source":"/etc/passwd","target":"native/lib/x"}]`,
		`[{"source":"native/lib/libpq.so.5.17","target":"native/../../x"}]`,
		`[`,
	} {
		if err := os.Remove(filepath.Join(build, "pg-symlinks.json")); err != nil {
			t.Fatal(err)
		}
		write("pg-symlinks.json", bad)
		if err := restoreLinks(build); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestBinDirKnowsItsMajors(t *testing.T) {
	if _, err := BinDir(t.Context(), 99, t.Output()); err == nil {
		t.Errorf("PostgreSQL 99 exists")
	}
	if _, err := BinDir(t.Context(), 9, t.Output()); err == nil {
		t.Errorf("PostgreSQL 9 is supported")
	}
	majors := Majors()
	for i := 1; i < len(majors); i++ {
		if majors[i-1] >= majors[i] {
			t.Errorf("majors out of order: %v", majors)
		}
	}
}
