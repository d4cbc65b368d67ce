package ir

import "strconv"

// Pos is a place in a source file of the specification.
type Pos struct {
	File   string // as the user named it, relative to the project
	Line   int    // from 1; 0 when there is no place
	Column int    // from 1, in grapheme clusters
	Byte   int    // offset in the file, from 0
}

// IsValid reports whether p names a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String is file:line, the form that plans and generated headers print.
func (p Pos) String() string {
	if !p.IsValid() {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Reason is one choice that the compiler made and why, as `pawl explain`
// prints it.
type Reason struct {
	Choice string // "FOR NO KEY UPDATE"
	Why    string // one sentence or two
}

// Origin ties an object of the program to the declaration that asked for it.
// It is no part of the object's definition: moving a block in a file changes
// no fingerprint.
type Origin struct {
	Address string // table.bookings.no_overlap.one_per_room
	Pos     Pos
	Why     string // why the object exists, when nobody wrote it down
}
