package devdb

import (
	"archive/zip"
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFailedFetchSaysBothWhatFailedAndWhatToInstall(t *testing.T) {
	repository := httptest.NewServer(http.NotFoundHandler())
	defer repository.Close()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache) // where macOS looks
	var progress bytes.Buffer
	_, err := fetchFrom(t.Context(), repository.URL, 17, &progress, notFound(17, nil))
	if !errors.Is(err, ErrNotFound) {
		t.Fatalf("error %v, want one that wraps ErrNotFound", err)
	}
	for _, want := range []string{"apt-get install postgresql-17", "Fetching PostgreSQL 17", "no version found"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if !strings.Contains(progress.String(), "fetching") {
		t.Errorf("nobody was told of the download: %q", &progress)
	}
	if found := fetchedBinDirs(); len(found) > 0 {
		t.Errorf("the failed fetch left %v", found)
	}
}

func TestFetchOfAMajorThatIsNotOffered(t *testing.T) {
	missing := notFound(99, nil)
	if _, err := fetchFrom(t.Context(), "", 99, t.Output(), missing); !errors.Is(err, missing) {
		t.Errorf("error %v, want the search's own", err)
	}
}

// The real repository cannot be asked in a test; a build of the test matrix, which
// like the real thing runs from any folder, stands in for what it serves.
func TestFetchedBuildRuns(t *testing.T) {
	bin, err := At(os.Getenv(binEnv))
	if err != nil || gone(filepath.Join(bin.Dir, "..", "pg-symlinks.json")) {
		t.Skipf("%s does not name a build of the test matrix", binEnv)
	}
	if bin.Major != defaultFetch {
		t.Skipf("packing a build takes long: once, with PostgreSQL %d, is enough", defaultFetch)
	}
	if os.Geteuid() != 0 {
		t.Skip("starts a process as another user, to have an empty cache")
	}
	jar := packBuild(t, filepath.Dir(bin.Dir))
	var downloads int
	repository := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, ".jar") {
			http.NotFound(w, r)
			return
		}
		downloads++
		w.Write(jar)
	}))
	defer repository.Close()
	cache := publicTempDir(t)
	const nobody = 65534
	if err := os.Chown(cache, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	for range 2 { // the second time it is there
		c := spawn(t, task{Repository: repository.URL, FetchMajor: bin.Major}, nobody)
		if err := ping(c.URL); err != nil {
			t.Error(err)
		}
		if !strings.HasPrefix(c.BinDir, cache) {
			t.Errorf("the server runs from %s, not from the fetched build in %s", c.BinDir, cache)
		}
		c.release()
	}
	if downloads != 1 {
		t.Errorf("%d downloads for two starts", downloads)
	}
}

// packBuild packs a build as the repository does: a jar that holds a .txz.
func packBuild(t *testing.T, build string) []byte {
	t.Helper()
	txz := filepath.Join(t.TempDir(), "postgres.txz")
	pack := exec.Command("tar", "-C", build, "-cJf", txz, "bin", "lib", "share")
	pack.Env = append(os.Environ(), "XZ_OPT=-0")
	if out, err := pack.CombinedOutput(); err != nil {
		t.Skipf("this system cannot make an xz archive: %v\n%s", err, out)
	}
	content, err := os.ReadFile(txz)
	if err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	files := zip.NewWriter(&jar)
	w, err := files.Create("postgres-linux-x86_64.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	return jar.Bytes()
}
