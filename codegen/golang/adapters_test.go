package golang_test

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/pawldb/pawl/codegen/golang"
	"github.com/pawldb/pawl/compiler/ir"
	"github.com/pawldb/pawl/testdata/cases/adapters/store"
)

// A copied runtime has its adapter beside it, which imports the copy.
func TestAdaptersAreCopied(t *testing.T) {
	dir := writeModule(t, copied(t, ir.SlogAdapter, ir.OtelAdapter))
	goCommand(t, dir, "vet", "./...")
	list := exec.Command("go", "list", "-deps", "./...")
	list.Dir = dir
	list.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "github.com/pawldb/") || !strings.Contains(string(out), "example.com/app/store/pawl/otelpawl\n") {
		t.Errorf("the copy depends on\n%s", out)
	}
}

// Who does not ask for OpenTelemetry gets nothing that imports it.
func TestOpenTelemetryIsOptional(t *testing.T) {
	for _, f := range copied(t, ir.SlogAdapter) {
		if bytes.Contains(f.Content, []byte(`"go.opentelemetry.io`)) {
			t.Errorf("%s imports OpenTelemetry", f.Path)
		}
	}
}

// copied is the package of the case with some adapters and a copied runtime.
func copied(t *testing.T, adapters ...ir.Adapter) []golang.File {
	t.Helper()
	program := compile(t, cases+"/adapters")
	program.Go.Runtime, program.Go.Adapters = golang.RuntimeCopy, adapters
	files, wrong := golang.Generate(program, os.DirFS(filepath.Join(root, "pawl")), golang.GenerateOptions{
		ImportPath: "example.com/app/store", Otel: os.DirFS(filepath.Join(root, "pawl/otelpawl")),
	})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return files
}

// The generated options reach slog and a meter, both from one store.
func TestAdaptersAreTold(t *testing.T) {
	var log bytes.Buffer
	reader := sdk.NewManualReader()
	meter, err := store.WithMeter(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	db := store.New(poolIn(t, database(t, compile(t, cases+"/adapters")), pgx.QueryExecModeExec, nil), store.WithLogger(logger), meter)
	if _, err := db.Rooms.Insert(t.Context(), store.RoomInsert{Name: "blue"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "operation=table.rooms.insert outcome=ok") {
		t.Errorf("the log has %s", &log)
	}
	var told metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.ScopeMetrics) != 1 || len(told.ScopeMetrics[0].Metrics) == 0 {
		t.Errorf("the meter has %+v", told)
	}
}
