package golang

import (
	"strings"

	"github.com/pawldb/pawl/compiler/ir"
)

// emitMiddleware writes the method that makes an http.Handler. What makes the key
// beside the caller's own text comes from a function of the request.
func (o *onceWork) emitMiddleware() {
	w := o.w
	list := o.keyParameters()
	given := list // by a function of the request
	if !o.ir.Entity {
		given = list[:len(list)-1]
	}
	request, context := w.S("r *", ident{"net/http", "Request"}), w.S(ident{"context", "Context"})
	var parameters []string
	if len(given) > 0 {
		results := make([]string, len(given))
		for i, p := range given {
			results[i] = p.name + " " + w.typ(p.typ)
		}
		parameters = append(parameters, "subject func("+request+") ("+strings.Join(results, ", ")+", err error)")
	}
	phased := len(o.ir.Phases) > 0
	switch {
	case phased && o.names.work != "":
		parameters = append(parameters, "work func("+request+") "+o.names.work)
	case phased:
		parameters = append(parameters, "work func("+request+") "+o.names.phases)
	default:
		parameters = append(parameters, "work func(ctx "+context+", tx *Store, "+request+") "+o.workResults())
	}
	if o.ir.Reference {
		parameters = append(parameters, strings.TrimPrefix(o.fetchParameter(), ", "))
	}
	w.P()
	w.Doc("Middleware answers requests through Do." + o.middlewareDoc(len(given) > 0) + " The payload is the method, the path, the query and the body. " +
		"It answers 409 with Retry-After while the work is in progress, 422 to a key of another request, and marks a stored answer with " + w.S(o.pawl("ReplayedHeader")) + ".")
	w.P("func (s ", o.names.typ, ") Middleware(", strings.Join(parameters, ", "), ") ", ident{"net/http", "Handler"}, " {")
	w.P("return ", o.pawl("Handler"), "(", !o.ir.Entity, ", func(", request, ", key string, payload any) ", o.answers(), " {")
	o.emitSubject(given)
	arguments := parameterNames(given)
	if arguments != "" {
		arguments += ", "
	}
	if !o.ir.Entity {
		arguments += "key, "
	}
	call := "return s.Do(r.Context(), " + arguments + "payload, "
	fetch := ""
	if o.ir.Reference {
		fetch = ", fetch"
	}
	if phased {
		w.P(call, "work(", o.pawl("Rewound"), "(r))", fetch, ")")
	} else {
		result := w.S(o.pawl("Response"))
		if o.ir.Reference {
			result = "string"
		}
		w.P(call, "func(ctx ", context, ", tx *Store) (", result, ", error) {")
		w.P("return work(ctx, tx, ", o.pawl("Rewound"), "(r))")
		w.P("}", fetch, ")")
	}
	w.P("})")
	w.P("}")
}

// emitSubject asks the function of the request for what makes the key.
func (o *onceWork) emitSubject(given []parameter) {
	if len(given) == 0 {
		return
	}
	w := o.w
	w.P(parameterNames(given), ", err := subject(", o.pawl("Rewound"), "(r))")
	w.P("if err != nil {")
	w.P("return ", o.pawl("Response"), "{}, ", o.pawl("OutcomeBadInput"), ", err")
	w.P("}")
}

func (o *onceWork) middlewareDoc(subject bool) string {
	text := ""
	if !o.ir.Entity {
		text = " The key comes in the header Idempotency-Key, and 400 answers a request without one."
	}
	if subject {
		text += " subject reads " + strings.Join(columnNames(o.subjectFields()), ", ") + " from the request, and its error is answered with the status of HTTPStatus."
	}
	return text
}

// subjectFields are the values of the key that the caller's header does not bring.
func (o *onceWork) subjectFields() []ir.Field {
	if o.ir.Entity {
		return o.keyFields()
	}
	return o.ir.Scope
}
