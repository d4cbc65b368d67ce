package pawl_test

import "context"

// cx keeps the signatures of the many closures in these tests short.
type cx = context.Context
