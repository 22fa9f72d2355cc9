// Package p shows declarations.
package p

import (
	"fmt"

	alias "os"
)

// A floating comment.

// T is a type.
type T[K comparable] struct{ k K }

type (
	// A is in a group.
	A int
	B = string
)

const (
	One = iota + 1
	Two
)

var x, y = 1, 2

// M is a method.
//
// It has a long comment.
func (t *T[K]) M() string {

	return fmt.Sprint(t.k, x, y, alias.Args)
}

func f() {}
