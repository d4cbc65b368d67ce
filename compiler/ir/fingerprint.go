package ir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Fingerprint is a short, stable hash of a definition: any object of a
// [Schema]. Where it came from and how a server prints it are no part of it,
// so it changes exactly when what was asked for changes. Generated code and
// pawl.object carry it, and store.Check compares the two.
func Fingerprint(definition any) string {
	text, err := json.Marshal(definition)
	if err != nil {
		// Definitions are plain data of this package; this is our bug.
		panic(fmt.Sprintf("ir: definition of type %T has no fingerprint: %v", definition, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}
