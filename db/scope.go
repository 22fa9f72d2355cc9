package db

// This file defines the scope: the documents a reader may see. It is applied inside queries, by a function that SQL calls.

import (
	"database/sql/driver"
	"fmt"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
)

// A Scope is a set of documents, named by patterns over their keys. The zero Scope is every document.
type Scope struct{ s *scope }

type scope struct{ patterns []string }

// ParseScope reads patterns separated by commas or newlines: a document key, `ROOT/` (or any folder with its slash) for all
// below it, or a glob in which `*` and `?` stop at a slash and `**` does not. A text without a pattern is a scope that holds nothing.
func ParseScope(text string) (Scope, error) {
	s := &scope{}
	for p := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		if p = norm.NFC.String(strings.TrimSpace(p)); p == "" {
			continue
		}
		if _, err := path.Match(strings.ReplaceAll(p, "**", "*"), ""); err != nil {
			return Scope{}, fmt.Errorf("scope pattern %q: %w", p, err)
		}
		s.patterns = append(s.patterns, p)
	}
	return Scope{s}, nil
}

// All reports whether the scope is every document, so that a query can leave the filter out.
func (s Scope) All() bool { return s.s == nil }

// Match reports whether the document with this key is in the scope.
func (s Scope) Match(key string) bool {
	if s.s == nil {
		return true
	}
	key = norm.NFC.String(key)
	for _, p := range s.s.patterns {
		if p == key || strings.HasSuffix(p, "/") && strings.HasPrefix(key, p) || globMatch(p, key) {
			return true
		}
	}
	return false
}

// globMatch matches like path.Match, with `**` for any run of characters, slashes included.
func globMatch(pattern, key string) bool {
	head, tail, deep := strings.Cut(pattern, "**")
	if !deep {
		ok, _ := path.Match(pattern, key)
		return ok
	}
	for i := 0; i <= len(key); i++ {
		if ok, _ := path.Match(head, key[:i]); !ok {
			continue
		}
		for j := i; j <= len(key); j++ {
			if globMatch(tail, key[j:]) {
				return true
			}
		}
	}
	return false
}

// A Filter is a Go predicate over ids that SQL can call: `docket_filter(?, id)` with [Filter.Handle] as first value. It is how
// scopes and bitmaps reach a query whose connection may not make temporary tables.
type Filter struct{ handle int64 }

var (
	filters    sync.Map // handle → func(int64) bool
	lastFilter atomic.Int64
)

// NewFilter makes keep callable from SQL until Close. keep is called from the query's goroutine only.
func NewFilter(keep func(id int64) bool) *Filter {
	f := &Filter{lastFilter.Add(1)}
	filters.Store(f.handle, keep)
	return f
}

// Handle returns the value that names the filter in SQL.
func (f *Filter) Handle() int64 { return f.handle }

// Close makes the handle invalid; a query that still uses it keeps nothing.
func (f *Filter) Close() { filters.Delete(f.handle) }

func init() {
	sqlite.MustRegisterScalarFunction("docket_filter", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		handle, ok1 := args[0].(int64)
		id, ok2 := args[1].(int64)
		keep, ok3 := filters.Load(handle)
		return ok1 && ok2 && ok3 && keep.(func(int64) bool)(id), nil
	})
}
