package diag

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// FromHCL turns the diagnostics of the HCL library into ours: each gets a code,
// a fixed summary and, when HCL knows a close name, help.
//
// One cause gives one error. Of the syntax errors of one line the first is kept,
// and where a file has syntax errors its other findings are dropped: the parser
// lost a part of the file, and what is missing or unknown in the rest is an echo.
// So is a missing attribute when an unknown one is a misspelling of its name.
func FromHCL(diags hcl.Diagnostics) List {
	broken, misspelled := brokenFiles(diags), misspelledNames(diags)
	seen := make(map[place]bool)
	var list List
	for _, d := range diags {
		if d == nil {
			continue
		}
		ours := fromHCL(d)
		switch at := (place{ours.Subject.Filename, ours.Subject.Start.Line}); {
		case ours.Code == Syntax && seen[at]:
			continue
		case ours.Code == Syntax:
			seen[at] = true
		case broken[ours.Subject.Filename]:
			continue
		case ours.Code == MissingAttribute && misspelled[quoted(d.Detail)]:
			continue
		}
		list.Add(ours)
	}
	list.Sort()
	return list
}

// place is a line of a file.
type place struct {
	file string
	line int
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

// misspelledNames are the attributes that unknown ones were most likely meant to
// be.
func misspelledNames(diags hcl.Diagnostics) map[string]bool {
	names := make(map[string]bool)
	for _, d := range diags {
		if d == nil || codeOf(d) != UnknownAttribute {
			continue
		}
		if _, help := splitSuggestion(d.Detail); help != "" {
			names[quoted(help)] = true
		}
	}
	return names
}

func fromHCL(d *hcl.Diagnostic) Diagnostic {
	ours := Diagnostic{Code: codeOf(d)}
	if d.Severity == hcl.DiagWarning {
		ours.Severity = Warning
	}
	if d.Subject != nil {
		ours.Subject = *d.Subject
	}
	detail := d.Detail
	if ours.Code == DuplicateAttribute {
		detail, ours.Related = splitPlace(detail, ours.Subject.Filename)
	}
	ours.Detail, ours.Help = splitSuggestion(retell(detail, ours.Code))
	if ours.Detail == "" {
		ours.Detail = strings.TrimSuffix(d.Summary, ".") + "."
	}
	return ours
}

// splitSuggestion takes HCL's `Did you mean "x"?`, and what follows it, out of a
// detail, since help stands apart from the error.
func splitSuggestion(detail string) (rest, help string) {
	i := strings.Index(detail, "Did you mean ")
	if i < 0 {
		return detail, ""
	}
	return strings.TrimSpace(detail[:i]), "d" + detail[i+1:]
}

// splitPlace takes the place of the first definition out of the detail of a
// second one, where HCL prints it as text.
func splitPlace(detail, file string) (rest string, related []Related) {
	head, tail, ok := strings.Cut(detail, " at "+file+":")
	if !ok {
		return detail, nil
	}
	first := hcl.Range{Filename: file}
	if n, _ := fmt.Sscanf(tail, "%d,%d-%d", &first.Start.Line, &first.Start.Column, &first.End.Column); n < 3 {
		return detail, nil
	}
	first.End.Line = first.Start.Line
	return head + ".", []Related{{Range: first, Text: "first set here"}}
}

// retell puts a detail into the words that pawl uses: HCL's attributes are called
// arguments there, which are something else here.
func retell(detail string, code Code) string {
	if strings.HasPrefix(detail, "Only 1 labels") {
		detail = strings.Replace(detail, " are expected", " is expected", 1)
	}
	detail = strings.NewReplacer(
		" 1 labels", " 1 label", " 1 argument(s)", " 1 argument", "argument(s)", "arguments",
		"failed: EOF.", "failed: the text ends too early.", "failed: unexpected EOF.", "failed: the text ends too early.",
	).Replace(detail)
	switch code {
	case Syntax, UnknownAttribute, MissingAttribute, DuplicateAttribute, UnknownBlock:
		parts := strings.Split(detail, `"`)
		for i := 0; i < len(parts); i += 2 { // the others are quotations
			parts[i] = strings.NewReplacer("Argument", "Attribute", "argument", "attribute").Replace(parts[i])
		}
		return strings.Join(parts, `"`)
	}
	return detail
}

// quoted returns the first quotation in a text.
func quoted(text string) string {
	_, rest, _ := strings.Cut(text, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
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
