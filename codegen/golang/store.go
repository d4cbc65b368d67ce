package golang

import (
	"fmt"
	"strconv"

	"github.com/pawldb/pawl/compiler/ir"
)

// Names of our own at package level that users never write.
const (
	bindFunc    = "bindStore"
	promisesVar = "reliedUpon"
)

// ownNames are the unexported names that every output has.
func ownNames() []string {
	return []string{maintainVar, bindFunc, promisesVar, constraintsVar, defaultLimitsVar, enumTexts, enumTextsOrNull, uuidList, uuidListOrNull}
}

// emitStore writes store_gen.go: the Store with its repositories, transactions
// and the check of the database.
func (e *emitter) emitStore() {
	w := e.file(e.program.Go.Pos)
	w.doc = e.packageDoc(w)
	e.emitStoreType(w)
	e.emitAdapters(w)
	e.emitTransactions(w)
	e.emitCheck(w)
	e.emitMaintain(w)
	for _, kind := range rangeKinds {
		if holds(e.program, kind.sql) {
			e.emitRanges(w, kind)
		}
	}
	e.emitUUIDLists(w)
	e.emitLimits(w)
	e.emitPromises(w)
	e.finish("store_gen.go", w)
}

func (e *emitter) emitStoreType(w *writer) {
	w.P()
	w.Doc("Store is what the specification declares, with a field for each part that has methods, on one database connection, pool or transaction. " +
		"On a pool it is safe for concurrent use; on a connection or a transaction it is not, as those are not.")
	w.P("type Store struct {")
	for i := range e.program.Repositories {
		e.storeField(w, e.names.repositories[i].typ, tableDoc(&e.program.Repositories[i]))
	}
	for i := range e.program.Singletons {
		e.storeField(w, e.names.singletons[i].typ, e.program.Singletons[i].Address)
	}
	if len(e.program.Rules) > 0 {
		e.storeField(w, rulesType, "rules over several rows")
	}
	for i := range e.program.Idempotencies {
		e.storeField(w, e.names.once[i].typ, e.program.Idempotencies[i].Address)
	}
	for i := range e.program.Inboxes {
		e.storeField(w, e.names.inboxes[i].typ, e.program.Inboxes[i].Address)
	}
	w.P()
	w.P("session *", e.pawl("Session"))
	w.P("}")
	w.P()
	w.Doc("New returns a Store on db: a pool, a connection or a transaction of pgx, or what wraps one. " +
		"An option wins over what the specification says." + e.poolerDoc())
	w.P("func New(db ", e.pawl("DB"), ", options ...", e.pawl("Option"), ") *Store {")
	if e.program.Pooler == ir.TransactionPooler {
		w.P("options = append([]", e.pawl("Option"), "{", e.pawl("WithTransactionPooler"), "()}, options...)")
	}
	w.P("return ", bindFunc, "(", e.pawl("NewSession"), "(db, ", defaultLimitsVar, ", ", constraintsVar, ", options...))")
	w.P("}")
	w.P()
	w.P("func ", bindFunc, "(session *", e.pawl("Session"), ") *Store {")
	w.P("return &Store{")
	for i := range e.program.Repositories {
		typ := e.names.repositories[i].typ
		w.P(typ, ": ", typ, "{session},")
	}
	for i := range e.program.Singletons {
		typ := e.names.singletons[i].typ
		w.P(typ, ": ", typ, "{session},")
	}
	if len(e.program.Rules) > 0 {
		w.P(rulesType, ": ", e.rulesLiteral(), ",")
	}
	for i := range e.program.Idempotencies {
		typ := e.names.once[i].typ
		w.P(typ, ": ", typ, "{session},")
	}
	for i := range e.program.Inboxes {
		typ := e.names.inboxes[i].typ
		w.P(typ, ": ", typ, "{session},")
	}
	w.P("session: session,")
	w.P("}")
	w.P("}")
}

// poolerDoc says what New refuses where a pooler stands between.
func (e *emitter) poolerDoc() string {
	if e.program.Pooler != ir.TransactionPooler {
		return ""
	}
	return "\n\nA target of the specification says that connections go through a transaction pooler. New panics on a pool that keeps prepared " +
		"statements, pgx's default: set default_query_exec_mode=cache_describe in the connection string. " +
		"The option WithPreparedStatements takes it all the same, where the pooler keeps them or a test has none."
}

func (e *emitter) storeField(w *writer, typ, about string) {
	w.P(typ, " ", typ, " // ", oneLine(about))
}

// tableDoc is the table in a few words: its comment, or its name in SQL.
func tableDoc(r *ir.Repository) string {
	if r.Comment != "" {
		return r.Comment
	}
	return ir.Qualified(r.Schema, r.Table)
}

func (e *emitter) emitTransactions(w *writer) {
	w.P()
	w.Doc("WithTx returns a Store with the same options that works inside tx, a transaction of your own. " +
		"It retries nothing and changes no setting of it.")
	w.P("func (s *Store) WithTx(tx ", ident{pgxPath, "Tx"}, ") *Store {")
	w.P("return ", bindFunc, "(s.session.WithTx(tx))")
	w.P("}")
	w.P()
	w.Doc("DB returns what the Store works on, for statements of your own: inside InTx, the open transaction.")
	w.P("func (s *Store) DB() ", e.pawl("DB"), " { return s.session.DB() }")
	w.P()
	w.Doc("AfterCommit runs fn once the transaction that s belongs to has committed, and never if it rolls back or its outcome is not known. " +
		"It reports false, and does nothing, when s belongs to no transaction of InTx.")
	w.P("func (s *Store) AfterCommit(fn func()) bool { return s.session.AfterCommit(fn) }")
	w.P()
	w.Doc("InTx runs fn in a transaction and returns what fn returns. It commits when fn returns no error, and rolls back otherwise.\n\n" +
		"After a serialization failure or a deadlock, at any statement or at COMMIT, the whole of fn runs again in a new transaction. " +
		"So fn must do nothing that a second run would do twice: see AfterCommit. Inside another InTx it joins that transaction.\n\n" +
		"An answer to COMMIT that never came is a *" + w.S(e.pawl("CommitUnknownError")) + " and is not retried.")
	w.P("func InTx[T any](ctx ", ident{"context", "Context"}, ", db *Store, fn func(ctx ", ident{"context", "Context"},
		", tx *Store) (T, error), options ...", e.pawl("TxOption"), ") (T, error) {")
	w.P("return ", e.pawl("InTx"), "(ctx, db.session, func(ctx ", ident{"context", "Context"}, ", tx *", e.pawl("Session"), ") (T, error) {")
	w.P("return fn(ctx, ", bindFunc, "(tx))")
	w.P("}, options...)")
	w.P("}")
	w.P()
	w.Doc("Savepoint runs fn in a savepoint of the transaction that tx is in. When fn returns an error, what it did is undone and the transaction " +
		"can go on. After a serialization failure or a deadlock it cannot: the whole transaction runs again.")
	w.P("func Savepoint[T any](ctx ", ident{"context", "Context"}, ", tx *Store, fn func(ctx ", ident{"context", "Context"}, ", tx *Store) (T, error)) (T, error) {")
	w.P("return ", e.pawl("Savepoint"), "(ctx, tx.session, func(ctx ", ident{"context", "Context"}, ", inner *", e.pawl("Session"), ") (T, error) {")
	w.P("return fn(ctx, ", bindFunc, "(inner))")
	w.P("})")
	w.P("}")
}

func (e *emitter) emitCheck(w *writer) {
	w.P()
	w.Doc("Check compares the database with what this code relies on. A *" + w.S(e.pawl("CheckError")) +
		" names each constraint, index and trigger that is missing, not valid, disabled or of another specification. " +
		"It is a query of the catalog: call it at start and in a readiness probe.")
	w.P("func (s *Store) Check(ctx ", ident{"context", "Context"}, ") error {")
	w.P("return ", e.pawl("Check"), "(ctx, s.session, ", strconv.Quote(e.program.Project), ", ", promisesVar, ")")
	w.P("}")
}

// rangeKind is a type of range that the package helps to make.
type rangeKind struct {
	sql                   string
	between, since, until string // functions, of the runtime and of the package
	typ                   string // of the runtime
	points                string // what is in it
	note                  string
}

var rangeKinds = []rangeKind{
	{"tstzrange", "Between", "Since", "Until", "TimeRange", "instants", ""},
	{"daterange", "BetweenDays", "SinceDay", "UntilDay", "DateRange", "days", " The day of each argument is the one in its own location."},
}

// emitRanges writes the functions that make ranges.
func (e *emitter) emitRanges(w *writer, kind rangeKind) {
	instant, typ := ident{"time", "Time"}, e.pawl(kind.typ)
	w.P()
	w.Doc(kind.between + " is the range of " + kind.points + " from lower, included, to upper, not included. Two that touch do not overlap." + kind.note)
	w.P("func ", kind.between, "(lower, upper ", instant, ") ", typ, " { return ", e.pawl(kind.between), "(lower, upper) }")
	w.P()
	w.Doc(kind.since + " is the range of " + kind.points + " from lower, included, without an end.")
	w.P("func ", kind.since, "(lower ", instant, ") ", typ, " { return ", e.pawl(kind.since), "(lower) }")
	w.P()
	w.Doc(kind.until + " is the range of all " + kind.points + " before upper.")
	w.P("func ", kind.until, "(upper ", instant, ") ", typ, " { return ", e.pawl(kind.until), "(upper) }")
}

func (e *emitter) emitPromises(w *writer) {
	w.P()
	w.Doc(promisesVar + " are the objects of the database that this code relies on, with the fingerprints of their definitions.")
	w.P("var ", promisesVar, " = []", e.pawl("Promise"), "{")
	for _, p := range e.program.Promises {
		w.P(fmt.Sprintf("{Address: %q, Kind: %q, Schema: %q, Table: %q, Name: %q, Hash: %q},",
			p.Address, p.Object.Kind, p.Object.Schema, p.Object.Table, p.Object.Name, p.Hash))
	}
	w.P("}")
}
