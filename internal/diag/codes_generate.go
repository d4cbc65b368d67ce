package diag

// Codes of mistakes that come to light when a right spec becomes Go. Package
// codegen/golang finds them and cmd/pawl gives them their code: generators know
// nothing of diagnostics.
const (
	// GoName is a name that cannot be told apart, or cannot be spelled, in Go.
	GoName Code = "go-name"
	// OutputPath is a place that files cannot be written to. Package compiler
	// finds it.
	OutputPath Code = "output-path"
)

var generateCodes = []Entry{
	{
		Code:    GoName,
		Summary: "this has no usable name in Go",
		Explain: "Names of the spec become names of Go types, fields, methods and constants by fixed rules. Where two of them " +
			"would become one, or what is left is no Go identifier, the generated package would not compile, or a name would " +
			"depend on the order of declarations and change under its users. Give one of them a Go name of its own with a go block: " +
			"go { name = \"…\" } in a table, queue or column; or another label.",
	},
	{
		Code:    OutputPath,
		Summary: "a place that files cannot be written to",
		Explain: "`out` is relative to the directory of the project, and may lead out of it with \"..\". An absolute path " +
			"exists on one machine alone. The file with the DDL and the directory of the Go package must not be in each other's way.",
		Example: "generate \"go\" { out = \"store\" }\ngenerate \"sql\" { out = \"store\" }\n",
	},
}
