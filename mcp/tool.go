package mcp

// This file defines the tool, and the one way in which tools are registered and answer.

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// note stands in the text block of a tool whose result is sent once.
const note = "The result is in structuredContent."

// The hints that hosts go by when they ask a person for leave. All four are always sent.
var reads = sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}

// A tool is one MCP tool. P holds its parameters and R its result; the JSON of R is its structured content.
//
// There are two kinds. Most results are sent once, with a note beside them: their size is the UTF-8 bytes of the JSON and the
// note, they are never cut, and one over the limit is the error response_too_large. A result that is evidence is sent twice, as
// structured content and as text, because hosts show a model only one of the two: its size is twice the characters of the JSON,
// and items at its end are left out until it fits.
type tool[P, R any] struct {
	name, title, description string
	in, out                  *schema
	hints                    sdk.ToolAnnotations
	run                      func(context.Context, P) (R, error)

	lower string // the parameter that makes a smaller result

	evidence *trimming[R] // nil for a result that is sent once
}

// A trimming is how a result is made to fit.
type trimming[R any] struct {
	items func(R) int    // how many it has
	keep  func(R, int) R // the result with the first n only, and marked as truncated
	sent  func(result R) // told what is really sent; may be nil
}

// register adds the tool to the server.
func (t *tool[P, R]) register(s *Server) {
	hints := t.hints
	s.sdk.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: t.in, OutputSchema: t.out, Annotations: &hints,
	}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		result, err := t.answer(ctx, s, req.Params.Arguments)
		if err != nil {
			return failure(s.explain(t.name, err)), nil
		}
		return result, nil
	})
}

func (t *tool[P, R]) answer(ctx context.Context, s *Server, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	result, err := call(ctx, s, func(ctx context.Context) (result R, err error) {
		var p P
		if err := t.in.decode(arguments, &p); err != nil {
			return result, err
		}
		return t.run(ctx, p)
	})
	if err != nil {
		return nil, err
	}
	return t.render(s.o, result)
}

// render encodes a result once, and holds it to the size limit.
func (t *tool[P, R]) render(o Options, result R) (*sdk.CallToolResult, error) {
	b, err := marshal(result)
	if err != nil {
		return nil, fmt.Errorf("encoding the result of %s: %w", t.name, err)
	}
	if t.evidence == nil {
		beside, size := note, len(b)+len(note)
		if o.Text == "full" {
			beside, size = string(b), 2*len(b)
		}
		if size > o.MaxResponseChars {
			return nil, t.tooLarge(o, size)
		}
		return answer(b, beside), nil
	}
	if n := t.evidence.items(result); 2*utf8.RuneCount(b) > o.MaxResponseChars {
		// The most items that fit: one fewer than the least number that does not.
		kept := sort.Search(n, func(fewer int) bool {
			var smaller []byte
			if smaller, err = marshal(t.evidence.keep(result, fewer)); err == nil && 2*utf8.RuneCount(smaller) <= o.MaxResponseChars {
				return false
			}
			return true
		}) - 1
		if err != nil {
			return nil, err
		}
		if kept < 0 {
			return nil, t.tooLarge(o, 2*utf8.RuneCount(b))
		}
		result = t.evidence.keep(result, kept)
		if b, err = marshal(result); err != nil {
			return nil, err
		}
	}
	if t.evidence.sent != nil {
		t.evidence.sent(result)
	}
	return answer(b, string(b)), nil
}

func answer(structured []byte, beside string) *sdk.CallToolResult {
	return &sdk.CallToolResult{StructuredContent: json.RawMessage(structured), Content: []sdk.Content{&sdk.TextContent{Text: beside}}}
}

func (t *tool[P, R]) tooLarge(o Options, size int) error {
	next := "ask the person to raise MCP_MAX_RESPONSE_CHARS"
	if t.lower != "" {
		next = "send a smaller " + t.lower
	}
	return &toolError{
		Code: "response_too_large", NextAction: next,
		Message: fmt.Sprintf("the result of %s has a size of %d, and the limit is %d", t.name, size, o.MaxResponseChars),
	}
}

// first returns the first n items of a list, in an array of its own.
func first[T any](items []T, n int) []T { return slices.Clone(items[:n:n]) }
