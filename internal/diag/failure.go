package diag

// Bug is a failure of pawl itself: a broken assumption or a recovered panic.
// The user can do nothing about it but report it.
type Bug struct {
	// Message tells what broke. It may hold internal names.
	Message string
	// Version is pawl's own version.
	Version string
	// Stack is a goroutine stack, or empty.
	Stack string
}

// Outage is a database that cannot be reached or went away. The user's files
// are not to blame.
type Outage struct {
	// Target is the address that was tried, with its password removed by the
	// caller.
	Target string
	// Reason is what the server or the network said.
	Reason string
	// Help tells what to look at, or is empty.
	Help string
}

// IssuesURL is where a Bug is to be reported.
const IssuesURL = "https://github.com/pawldb/pawl/issues"
