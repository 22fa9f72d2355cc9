package mcp

// This file defines the envelope: what can be told of a JSON-RPC message from its bytes alone, even when it is too large to keep.

// maxDepth is the nesting that the SDK's decoder accepts.
const maxDepth = 1000

// maxToken bounds what an envelope keeps of a key or an id.
const maxToken = 256

// An envelope reads a message's top-level keys as its bytes pass by. It judges nothing: the bytes need not be JSON.
type envelope struct {
	id       []byte // the raw value of the last top-level "id", nil where there is none
	deepest  int
	method   bool // a top-level "method" was seen: it is a request or a notification
	response bool // a top-level "result" or "error" was seen

	depth   int
	quoted  bool // inside a string
	escaped bool // after a backslash inside a string
	value   bool // after the colon of a top-level key
	token   []byte
	key     string
}

func (e *envelope) write(p []byte) {
	for _, b := range p {
		if e.quoted {
			e.keep(b)
			switch {
			case e.escaped:
				e.escaped = false
			case b == '\\':
				e.escaped = true
			case b == '"':
				e.quoted = false
			}
			continue
		}
		switch b {
		case '"':
			e.quoted = true
			e.keep(b)
		case '{', '[':
			e.depth++
			e.deepest = max(e.deepest, e.depth)
		case '}', ']':
			if e.depth == 1 {
				e.endValue()
			}
			e.depth = max(e.depth-1, 0)
		case ':':
			if e.depth == 1 && !e.value {
				e.key, e.token, e.value = string(e.token), e.token[:0], true
			}
		case ',':
			if e.depth == 1 {
				e.endValue()
			}
		case ' ', '\t', '\r', '\n':
		default:
			e.keep(b)
		}
	}
}

// keep collects the token at the top level; one that grows too long is neither a key nor an id that we know.
func (e *envelope) keep(b byte) {
	if e.depth == 1 && len(e.token) <= maxToken {
		e.token = append(e.token, b)
	}
}

func (e *envelope) endValue() {
	if e.value {
		switch e.key {
		case `"id"`:
			e.id = nil
			if n := len(e.token); n > 0 && n <= maxToken {
				e.id = append(e.id, e.token...)
			}
		case `"method"`:
			e.method = true
		case `"result"`, `"error"`:
			e.response = true
		}
	}
	e.key, e.token, e.value = "", e.token[:0], false
}
