package view

import "encoding/json"

// List is a list that is never null in JSON, so that programs need not ask.
type List[T any] []T

// MarshalJSON writes an empty list for a nil one.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}
