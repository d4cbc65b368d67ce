package report_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pawldb/pawl/verify"
	"github.com/pawldb/pawl/verify/report"
	"github.com/pawldb/pawl/verify/report/reporttest"
)

func pageOf(t *testing.T, r *verify.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLGolden(t *testing.T) {
	for name, r := range reports {
		golden(t, name+".html", pageOf(t, r))
	}
}

// Nothing in the page asks the network for anything, and no value of the
// database becomes a tag.
func TestHTMLIsAloneAndEscaped(t *testing.T) {
	for name, r := range reports {
		page := pageOf(t, r)
		for _, forbidden := range []string{"http://", "https://", "src=", "@import", "<script>document.title", "</script><script>"} {
			if strings.Contains(page, forbidden) {
				t.Errorf("%s: the page holds %q", name, forbidden)
			}
		}
		if n := strings.Count(page, "<script"); n != 1 {
			t.Errorf("%s: %d scripts", name, n)
		}
	}
}

// chromium finds the browser, or skips.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if file, err := exec.LookPath(name); err == nil {
			return file
		}
	}
	t.Skip("no Chromium is installed: apt-get install chromium")
	return ""
}

// browse runs Chromium on a page without a network, and returns what it wrote to
// stdout and what it logged.
func browse(t *testing.T, file string, flags ...string) (dom, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	flags = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
		"--user-data-dir=" + t.TempDir(), "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=2000",
	}, flags...)
	cmd := exec.CommandContext(ctx, chromium(t), append(flags, (&url.URL{Scheme: "file", Path: file}).String())...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, errs.String())
	}
	return out.String(), errs.String()
}

// TestHTMLInChromium looks at the page as its readers do: on a desk and on a
// telephone, light and dark.
func TestHTMLInChromium(t *testing.T) {
	chromium(t)
	dir := t.TempDir()
	if keep := os.Getenv("PAWL_SCREENSHOTS"); keep != "" {
		dir = keep
	}
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, []byte(pageOf(t, reporttest.Mixed())), 0o644); err != nil {
		t.Fatal(err)
	}

	dom, log := browse(t, file, "--dump-dom")
	for _, want := range []string{
		"<title>seats: broken · pawl verify</title>", "table.seats.transitions.status", ".. waits for s0, s1", "部屋を予約する",
		`<div class="filter">`, // the script has run: it shows the filter
	} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if strings.Contains(log, "CONSOLE") {
		t.Errorf("the page's script complains:\n%s", log)
	}

	for name, flags := range map[string][]string{
		"desk":           {"--window-size=1280,2600"},
		"desk-dark":      {"--window-size=1280,2600", "--blink-settings=preferredColorScheme=0"},
		"telephone":      {"--window-size=500,3200"},
		"telephone-dark": {"--window-size=500,3200", "--blink-settings=preferredColorScheme=0"},
	} {
		shot := filepath.Join(dir, name+".png")
		browse(t, file, append(flags, "--screenshot="+shot)...)
		picture := readPNG(t, shot)
		dark := luminance(picture, picture.Bounds().Min) < 100
		if want := strings.HasSuffix(name, "dark"); dark != want {
			t.Errorf("%s: dark is %t", name, dark)
		}
		// Something stands in each of the bands from top to bottom, and it is text on
		// paper, not a flood of colour.
		const bands = 5
		for band := range bands {
			colours, ink := look(picture, band, bands)
			if colours < 8 || ink < 0.002 || ink > 0.6 {
				t.Errorf("%s: band %d has %d colours and %.1f %% ink", name, band, colours, 100*ink)
			}
		}
	}
}

func readPNG(t *testing.T, file string) image.Image {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func luminance(picture image.Image, at image.Point) int {
	r, g, b, _ := picture.At(at.X, at.Y).RGBA()
	return int((r + g + b) / 3 >> 8)
}

// look counts the colours of a band of a picture, and how much of it differs a lot
// from the paper.
func look(picture image.Image, band, bands int) (colours int, ink float64) {
	bounds := picture.Bounds()
	paper := luminance(picture, bounds.Min)
	height := bounds.Dy() / bands
	seen := map[[3]uint32]bool{}
	dark, all := 0, 0
	for y := bounds.Min.Y + band*height; y < bounds.Min.Y+(band+1)*height; y += 2 {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
			if d := luminance(picture, image.Pt(x, y)) - paper; d > 80 || d < -80 {
				dark++
			}
			all++
		}
	}
	return len(seen), float64(dark) / float64(all)
}
