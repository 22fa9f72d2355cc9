package db

// This file defines terms: what FTS5 makes of a text before it indexes it. The tokenizer is the very one of the word index, called
// outside any statement, so that what Go counts and highlights is what SQLite finds.

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Tokenizer is the tokenizer of the word index, as its table names it: words in any script, their case and marks folded, English
// endings cut off.
const Tokenizer = "porter unicode61 remove_diacritics 2"

// A Term is one token of a text as the index stores it, and the bytes it came from.
type Term struct {
	Text       string
	Start, End int
}

// A tokenizer is an instance of FTS5's, with memory of its own to talk to it.
type tokenizer struct {
	mu       sync.Mutex
	tls      *libc.TLS
	instance uintptr
	tokenize func(tls *libc.TLS, instance, ctx uintptr, flags int32, text uintptr, n int32, token uintptr) int32
	out      []Term
}

var words = sync.OnceValues(newTokenizer)

// newTokenizer takes the tokenizer from a connection of its own, in memory, which stays open with the process.
func newTokenizer() (*tokenizer, error) {
	tls := libc.NewTLS()
	const word = unsafe.Sizeof(uintptr(0))
	out := libc.Xcalloc(tls, 8, libc.Tsize_t(word))
	args := libc.Xcalloc(tls, 3, libc.Tsize_t(word))
	var text []uintptr
	for _, s := range []string{":memory:", "porter", "unicode61", "remove_diacritics", "2"} {
		p, err := libc.CString(s)
		if err != nil {
			return nil, err
		}
		text = append(text, p)
	}
	if rc := lib.Xsqlite3_open_v2(tls, text[0], out, lib.SQLITE_OPEN_READWRITE|lib.SQLITE_OPEN_MEMORY|lib.SQLITE_OPEN_NOMUTEX, 0); rc != lib.SQLITE_OK {
		return nil, fmt.Errorf("open the tokenizer: code %d", rc)
	}
	api, rc := fts5API(tls, *at[uintptr](out))
	if rc != lib.SQLITE_OK {
		return nil, fmt.Errorf("open the tokenizer: code %d", rc)
	}
	find := callable[func(tls *libc.TLS, api, name, data, tokenizer uintptr) int32](at[lib.Tfts5_api](api).FxFindTokenizer)
	if rc := find(tls, api, text[1], out+word, out+2*word); rc != lib.SQLITE_OK {
		return nil, fmt.Errorf("find the tokenizer: code %d", rc)
	}
	calls := at[lib.Tfts5_tokenizer](out + 2*word)
	for i, p := range text[2:] {
		*at[uintptr](args + uintptr(i)*word) = p
	}
	create := callable[func(tls *libc.TLS, data, args uintptr, n int32, instance uintptr) int32](calls.FxCreate)
	if rc := create(tls, *at[uintptr](out + word), args, 3, out+5*word); rc != lib.SQLITE_OK {
		return nil, fmt.Errorf("make the tokenizer: code %d", rc)
	}
	return &tokenizer{
		tls: tls, instance: *at[uintptr](out + 5*word),
		tokenize: callable[func(*libc.TLS, uintptr, uintptr, int32, uintptr, int32, uintptr) int32](calls.FxTokenize),
	}, nil
}

// Terms returns the terms of a text, in order. It needs no store.
func Terms(text string) ([]Term, error) {
	if text == "" {
		return nil, nil
	}
	t, err := words()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := libc.CString(text)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(t.tls, p)
	t.out = nil
	if rc := t.tokenize(t.tls, t.instance, 0, 1 /* FTS5_TOKENIZE_QUERY */, p, int32(len(text)), pointer(token)); rc != lib.SQLITE_OK {
		return nil, errors.New("tokenize: " + libc.GoString(lib.Xsqlite3_errstr(t.tls, rc)))
	}
	return t.out, nil
}

// token takes one token. It runs inside Terms, so under the lock of the one tokenizer there is.
func token(_ *libc.TLS, _ uintptr, _ int32, text uintptr, n, start, end int32) int32 {
	t, _ := words()
	t.out = append(t.out, Term{string(unsafe.Slice(at[byte](text), n)), int(start), int(end)})
	return lib.SQLITE_OK
}
