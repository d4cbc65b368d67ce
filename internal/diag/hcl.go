package diag

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// FromHCL turns the diagnostics of the HCL library into ours: each gets a code,
// a fixed summary and, when HCL knows a close name, help.
//
// One cause gives one error. Of the syntax errors of one line the first is kept,
// and where a file has syntax errors its other findings are dropped: the parser
// lost a part of the file, and what is missing or unknown in the rest is an echo.
func FromHCL(diags hcl.Diagnostics) List {
	broken := brokenFiles(diags)
	seen := make(map[place]bool)
	var list List
	for _, d := range diags {
		if d == nil {
			continue
		}
		ours := fromHCL(d)
		at := place{ours.Subject.Filename, ours.Subject.Start.Line, ours.Code}
		if ours.Code == Syntax {
			if seen[at] {
				continue
			}
		} else if broken[ours.Subject.Filename] {
			continue
		}
		seen[at] = true
		list.Add(ours)
	}
	list.Sort()
	return list
}

// place is a line of a file and the class of what was found there.
type place struct {
	file string
	line int
	code Code
}

// brokenFiles names the files that have syntax errors.
func brokenFiles(diags hcl.Diagnostics) map[string]bool {
	broken := make(map[string]bool)
	for _, d := range diags {
		if d != nil && d.Severity == hcl.DiagError && d.Subject != nil && codeOf(d) == Syntax {
			broken[d.Subject.Filename] = true
		}
	}
	return broken
}

func fromHCL(d *hcl.Diagnostic) Diagnostic {
	detail, meant := splitSuggestion(d.Detail)
	ours := Diagnostic{Code: codeOf(d), Detail: detail}
	if d.Severity == hcl.DiagWarning {
		ours.Severity = Warning
	}
	if d.Subject != nil {
		ours.Subject = *d.Subject
	}
	if meant != "" {
		ours.Help = "did you mean " + meant + "?"
	}
	if ours.Detail == "" {
		ours.Detail = sentence(d.Summary)
	}
	return ours
}

// splitSuggestion takes HCL's `Did you mean "x"?` out of a detail, since help
// stands apart from the error.
func splitSuggestion(detail string) (rest, meant string) {
	const marker = "Did you mean "
	i := strings.Index(detail, marker)
	if i < 0 {
		return detail, ""
	}
	meant, after, found := strings.Cut(detail[i+len(marker):], "?")
	if !found {
		return detail, ""
	}
	return strings.TrimSpace(strings.TrimSpace(detail[:i]) + after), meant
}

// sentence makes a sentence of one of HCL's summaries.
func sentence(summary string) string {
	return strings.TrimSuffix(summary, ".") + "."
}

// codesBySummary holds the fixed summaries of the HCL library. Whatever is not
// in it and not in codesByPrefix is a syntax error when it came from the parser,
// and an expression that cannot be evaluated otherwise.
var codesBySummary = map[string]Code{
	"Unsupported argument":                     UnknownAttribute,
	"Missing required argument":                MissingAttribute,
	"Attribute redefined":                      DuplicateAttribute,
	"Duplicate argument":                       DuplicateAttribute,
	"Unsupported block type":                   UnknownBlock,
	"Unknown variable":                         UnknownReference,
	"Unsupported attribute":                    UnknownReference,
	"Call to unknown function":                 UnknownFunction,
	"Function calls not allowed":               NotConstant,
	"Variables not allowed":                    NotConstant,
	"Not enough function arguments":            FunctionCall,
	"Too many function arguments":              FunctionCall,
	"Invalid function argument":                FunctionCall,
	"Error in function call":                   FunctionCall,
	"Invalid expanding argument value":         FunctionCall,
	"Incorrect attribute value type":           WrongType,
	"Unsuitable value type":                    WrongType,
	"Incorrect condition type":                 WrongType,
	"Incorrect key type":                       WrongType,
	"Inconsistent conditional result types":    WrongType,
	"Invalid operand":                          WrongType,
	"Invalid template interpolation value":     WrongType,
	"Invalid index":                            InvalidExpression,
	"Iteration over non-iterable value":        InvalidExpression,
	"Iteration over null value":                InvalidExpression,
	"Attempt to index null value":              InvalidExpression,
	"Attempt to get attribute from null value": InvalidExpression,
	"Null condition":                           InvalidExpression,
	"Condition is null":                        InvalidExpression,
	"Null value as key":                        InvalidExpression,
	"Splat of null value":                      InvalidExpression,
	"Operation failed":                         InvalidExpression,
	"Duplicate object key":                     InvalidExpression,
	"Ambiguous attribute key":                  InvalidExpression,
	"Invalid object key":                       InvalidExpression,
	"Invalid 'for' condition":                  InvalidExpression,
}

// codesByPrefix holds the summaries that end in a name.
var codesByPrefix = []struct {
	prefix string
	code   Code
}{
	{"Extraneous label for ", BlockLabels},
	{"Unexpected \"", UnknownBlock},
}

// codeOf classifies a diagnostic of the HCL library.
func codeOf(d *hcl.Diagnostic) Code {
	if code, ok := codesBySummary[d.Summary]; ok {
		return code
	}
	for _, p := range codesByPrefix {
		if strings.HasPrefix(d.Summary, p.prefix) {
			return p.code
		}
	}
	// "Missing name for table": a label. No other summary of HCL has this shape.
	if strings.HasPrefix(d.Summary, "Missing ") && strings.Contains(d.Summary, " for ") {
		return BlockLabels
	}
	if d.EvalContext != nil || d.Expression != nil {
		return InvalidExpression
	}
	return Syntax
}
