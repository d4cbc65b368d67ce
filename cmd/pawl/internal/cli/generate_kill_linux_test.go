package cli

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// generated are two states of one project, and what each is generated to. They
// differ in many files, so that writing them takes a while.
func generated(t *testing.T) (specs [2]string, outputs [2]map[string]string) {
	t.Helper()
	const output = "generate \"go\" {\n  out = \"store\"\n  race_tests = true\n}\ngenerate \"sql\" { out = \"schema.sql\" }\n"
	var spec strings.Builder
	spec.WriteString(smallSpec + output)
	for i := range 30 {
		fmt.Fprintf(&spec, "table \"table_%d\" {\n  column \"id\" { type = bigint }\n  column \"rooms\" { type = text }\n  primary_key { columns = [id] }\n}\n", i)
	}
	specs = [2]string{spec.String(), strings.ReplaceAll(spec.String(), "rooms", "halls")}
	for i, spec := range specs {
		dir := folder(t, map[string]string{"go.mod": "module example.com/app\n", "a.hcl": spec})
		generateIn(t, dir)
		outputs[i] = contents(t, dir)
		delete(outputs[i], "a.hcl")
	}
	return specs, outputs
}

// declare puts a specification into a folder.
func declare(t *testing.T, dir, spec string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a.hcl"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
}

// over reports whether a process has ended, before anybody asks for its exit code.
func over(b *background) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.cmd.Process.Pid))
	return err != nil || bytes.Contains(state, []byte(") Z "))
}

// generateIn generates in a folder and expects that it works.
func generateIn(t *testing.T, dir string, more ...string) {
	t.Helper()
	run := start(t, dir, nil, append([]string{"generate"}, more...)...)
	if err := run.cmd.Wait(); err != nil {
		t.Fatalf("generate %v: %v\n%s", more, err, run.said())
	}
}

// staged are the temporary files of a folder's output.
func staged(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	for _, folder := range []string{".", "store", "store/pawl", "store/pawl/explore"} {
		files, err := filepath.Glob(filepath.Join(dir, folder, stagePrefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		n += len(files)
	}
	return n
}

// A run that is killed while it writes leaves each file as it was or as it shall be,
// and none cut off; as long as a text is being written, all are as they were. The
// next run brings the rest.
func TestKilledGenerate(t *testing.T) {
	specs, outputs := generated(t)
	dir := folder(t, map[string]string{"go.mod": "module example.com/app\n", "a.hcl": specs[0]})
	generateIn(t, dir)
	amidst := 0
	// On a busy machine the process may have written all before this one looks.
	for round := 0; round < 4 || amidst == 0 && round < 40; round++ {
		from, to := outputs[round%2], outputs[(round+1)%2]
		declare(t, dir, specs[(round+1)%2])
		left := staged(t, dir)
		run := start(t, dir, nil, "generate")
		for staged(t, dir) == left && !over(run) {
			time.Sleep(100 * time.Microsecond)
		}
		if round%2 == 1 {
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		}
		_ = run.cmd.Process.Kill() // which fails when it is done
		_ = run.cmd.Wait()

		whole := 0 // files that are as they were
		for name, text := range contents(t, dir) {
			if strings.Contains(name, stagePrefix) || name == "a.hcl" {
				continue
			}
			if text != from[name] && text != to[name] {
				t.Fatalf("%s is neither the old text nor the new one:\n%s", name, text)
			}
			if text == from[name] {
				whole++
			}
		}
		if staged(t, dir) > left && whole == len(from) {
			amidst++
		}
		generateIn(t, dir)
		generateIn(t, dir, "--check")
	}
	if amidst == 0 {
		t.Error("no run was killed while it wrote its texts: nothing was shown")
	}
}

// Runs of the tool beside each other end as one of them would.
func TestTwoGenerateAtOnce(t *testing.T) {
	specs, outputs := generated(t)
	dir := folder(t, map[string]string{"go.mod": "module example.com/app\n", "a.hcl": specs[0]})
	for round := range 2 {
		declare(t, dir, specs[round%2])
		runs := []*background{start(t, dir, nil, "generate"), start(t, dir, nil, "generate"), start(t, dir, nil, "generate")}
		for _, run := range runs {
			if err := run.cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, run.said())
			}
		}
		got := contents(t, dir)
		maps.DeleteFunc(got, func(name, _ string) bool { return name == "a.hcl" })
		if diff := cmp.Diff(outputs[round%2], got); diff != "" {
			t.Error(diff)
		}
	}
}
