package diag

// Codes of mistakes that come to light when a right spec becomes Go. Package
// codegen/golang finds them and cmd/pawl gives them their code: generators know
// nothing of diagnostics.
const (
	// GoName is a name that cannot be told apart, or cannot be spelled, in Go.
	GoName Code = "go-name"
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
}
