package golang

import (
	"slices"

	"github.com/pawldb/pawl/compiler/ir"
)

// Import paths of what adapters write to.
const (
	slogPath       = "log/slog"
	otelMetricPath = "go.opentelemetry.io/otel/metric"
)

// otelFolder is where the adapter for OpenTelemetry stands below the runtime.
const otelFolder = "otelpawl"

// The options that adapters give the package.
const (
	slogOption = "WithLogger"
	otelOption = "WithMeter"
)

// adapterNames are the names that the program's adapters take in the package.
func adapterNames(p *ir.Program) []string {
	var list []string
	if hasAdapter(p, ir.SlogAdapter) {
		list = append(list, slogOption)
	}
	if hasAdapter(p, ir.OtelAdapter) {
		list = append(list, otelOption)
	}
	return list
}

func hasAdapter(p *ir.Program, a ir.Adapter) bool { return slices.Contains(p.Go.Adapters, a) }

// emitAdapters writes the option for each adapter.
func (e *emitter) emitAdapters(w *writer) {
	if hasAdapter(e.program, ir.SlogAdapter) {
		w.P()
		w.Doc(slogOption + " is an option of New: it writes each call, transaction and attempt to logger, by what became of it at the level " +
			"debug, info, warn or error. Arguments and rows are never written; see " + w.S(e.pawl("LogTo")) + ".")
		w.P("func ", slogOption, "(logger *", ident{slogPath, "Logger"}, ", options ...", e.pawl("LogOption"), ") ", e.pawl("Option"), " {")
		w.P("return ", e.pawl("WithObserver"), "(", e.pawl("LogTo"), "(logger, options...))")
		w.P("}")
	}
	if hasAdapter(e.program, ir.OtelAdapter) {
		adapter := func(name string) ident { return ident{e.runtime + "/" + otelFolder, name} }
		w.P()
		w.Doc(otelOption + " is an option of New: it counts and times each call, transaction and attempt on an OpenTelemetry meter, " +
			"with instruments that package otelpawl describes. It fails when the meter does.")
		w.P("func ", otelOption, "(meter ", ident{otelMetricPath, "Meter"}, ") (", e.pawl("Option"), ", error) {")
		w.P("observer, err := ", adapter("New"), "(meter)")
		w.P("if err != nil {")
		w.P("return nil, err")
		w.P("}")
		w.P("return ", e.pawl("WithObserver"), "(observer), nil")
		w.P("}")
	}
}
