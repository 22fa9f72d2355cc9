package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"docket/db/dbtest"
)

func nested(depth int) string {
	return `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`
}

// TestBadLines is the probe of findings on the SDK: each of these ended its process, or was answered wrongly. Case 139, 143.
func TestBadLines(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	big, d := strings.Repeat("x", maxLine), dbtest.Open(t)
	for _, tt := range []struct {
		name, in string
		code     int    // 0: a result; -1: no answer
		id       string // of the answer
	}{
		{"plain", ping, 0, "7"},
		{"not JSON", "hello", -32700, "null"},
		{"cut JSON", ping[:len(ping)-1], -32700, "null"},
		{"two messages on a line", ping + ping, -32700, "null"},
		{"trailing spaces", ping + " \t ", 0, "7"},
		{"leading spaces", "  " + ping, 0, "7"},
		{"CRLF", ping + "\r", 0, "7"},
		{"BOM", "\xef\xbb\xbf" + ping, 0, "7"},
		{"BOM alone", "\xef\xbb\xbf", -1, ""},
		{"empty line", "", -1, ""},
		{"blank line", " \r", -1, ""},
		{"batch", "[" + ping + "]", -32600, "null"},
		{"empty batch", "[]", -32600, "null"},
		{"a number", "42", -32600, "null"},
		{"a string", `"hi"`, -32600, "null"},
		{"null", "null", -32600, "null"},
		{"no version", `{"id":7,"method":"ping"}`, -32600, "7"},
		{"version 1.0", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, -32600, `"a"`},
		{"version a number", `{"jsonrpc":2.0,"id":7,"method":"ping"}`, -32600, "7"},
		{"no method, no answer", `{"jsonrpc":"2.0"}`, -32600, "null"},
		{"method a number", `{"jsonrpc":"2.0","id":7,"method":5}`, -32600, "7"},
		{"method in another case", `{"jsonrpc":"2.0","id":7,"Method":"ping"}`, -1, ""},
		{"unknown method", `{"jsonrpc":"2.0","id":7,"method":"nope"}`, -32601, "7"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "null"},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, "null"},
		{"id a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600, "null"},
		{"id an object", `{"jsonrpc":"2.0","id":{"id":1},"method":"ping"}`, -32600, "null"},
		{"id a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "1.5"},
		{"id beyond 2^53", `{"jsonrpc":"2.0","id":9007199254740994,"method":"ping"}`, -32600, "9007199254740994"},
		{"id a string", `{"jsonrpc":"2.0","id":"é <&>","method":"ping"}`, 0, `"é <&>"`},
		{"id twice, the last wins", `{"jsonrpc":"2.0","id":1,"id":7,"method":"ping"}`, 0, "7"},
		{"id negative", `{"jsonrpc":"2.0","id":-3,"method":"ping"}`, 0, "-3"},
		{"nested 900", nested(900), 0, "7"},
		{"nested 5,000", nested(5000), -32600, "7"},
		{"nested 20,000", nested(20_000), -32600, "7"},
		{"brackets in a string are not nesting", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"` + strings.Repeat("[", 5000) + `"}}`, 0, "7"},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", 0, "7"},
		{"a lone surrogate", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\ud800"}}`, 0, "7"},
		{"NUL bytes", "\x00\x00", -32700, "null"},
		{"UTF-16", "{\x00}\x00", -32700, "null"},
		{"params a list", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}`, -32602, "7"},
		{"params a string", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}`, -32602, "7"},
		{"no params", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, -32600, "7"},
		{"unknown tool", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}}`, -32602, "7"},
		{"a second initialize", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, -32600, "7"},
		{"an answer that nobody asked for", `{"jsonrpc":"2.0","id":7,"result":{}}`, -1, ""},
		{"a broken answer", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, -1, ""},
		{"a notification that nobody knows", `{"jsonrpc":"2.0","method":"notifications/nope"}`, -1, ""},
		{"a request sent as a notification", `{"jsonrpc":"2.0","method":"tools/list"}`, -1, ""},
		{"too large, id first", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"` + big + `"}}`, -32600, "7"},
		{"too large, id last", `{"method":"ping","params":{"id":3,"a":"` + big + `"},"jsonrpc":"2.0","id":"z"}`, -32600, `"z"`},
		{"too large, no id", big + big, -32600, "null"},
		{"just not too large", ping + strings.Repeat(" ", maxLine-len(ping)-1), 0, "7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := serve(t, newServer(t, d, nil)).initialize()
			p.send(tt.in)
			if tt.code != -1 {
				m := p.receive()
				code := 0
				if m.Error != nil {
					code = m.Error.Code
				}
				if code != tt.code || string(m.ID) != tt.id {
					t.Errorf("answered code %d under id %s, want %d under %s", code, m.ID, tt.code, tt.id)
				}
			}
			p.alive()
		})
	}
}

func TestBeforeInitialize(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), nil))
	if m := p.request("tools/list", map[string]any{}); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("tools/list before initialize answered %+v, want code -32600", m)
	}
	p.initialize().alive()
}

func TestIDInUse(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), nil)).initialize()
	p.send(
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"test_slow","arguments":{"ms":60000}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`,
	)
	if m := p.receive(); m.Error == nil || m.Error.Code != -32600 || string(m.ID) != "null" {
		t.Errorf("the second request was answered %+v, want -32600 under no id", m)
	}
	p.alive() // so the call has begun
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	if e := p.reply(p.receive()).failed(t); e.Code != "cancelled" {
		t.Errorf("the cancelled call answered %s", e.Code)
	}
	p.send(`{"jsonrpc":"2.0","id":"a","method":"ping"}`) // free again
	if m := p.receive(); m.Error != nil {
		t.Errorf("the id was not free: %+v", m.Error)
	}
}

// Case 143: far beyond bufio.Scanner's 64 KiB in, up to the largest legal argument in its longest form, and 16 MiB out.
func TestLargeLines(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 30 MB of JSON")
	}
	p := serve(t, newServer(t, dbtest.Open(t), func(o *Options) { o.MaxResponseChars = 64 << 20 })).initialize()
	in := strings.Repeat("<a&b>", 400_000)
	var out struct{ Text string }
	r := p.call("test_echo", map[string]any{"text": in, "size": 8 << 20})
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	if want := in + strings.Repeat("é", 8<<20); out.Text != want {
		t.Errorf("%d bytes came back, not the %d that were sent", len(out.Text), len(want))
	}
	p.send(`{"jsonrpc":"2.0","id":"emoji","method":"ping","params":{"_meta":{"x":"` + strings.Repeat(`\ud83d\ude00`, 1_000_000) + `"}}}`)
	if m := p.receive(); m.Error != nil || string(m.ID) != `"emoji"` {
		t.Errorf("1,000,000 escaped emoji: id %s, error %v", m.ID, m.Error)
	}
	p.alive()
}

// What leaves is never HTML-escaped, in either copy.
func TestNoHTMLEscapes(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), func(o *Options) { o.Text = "full" })).initialize()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_echo","arguments":{"text":"<b> & \\u003c"}}}`)
	line := <-p.lines
	if want := `{"text":"<b> & \\u003c"}`; !strings.Contains(line, want) {
		t.Errorf("no %s in %s", want, line)
	}
	if want := `"{\"text\":\"<b> & \\\\u003c\"}"`; !strings.Contains(line, want) {
		t.Errorf("no %s in %s", want, line)
	}
}

// TestMalformedFrames sends 10,000 damaged frames into one session, which lives.
func TestMalformedFrames(t *testing.T) {
	frames := 10_000
	if testing.Short() {
		frames = 1000
	}
	p := serve(t, newServer(t, dbtest.Open(t), nil)).initialize()
	seeds := []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_echo","arguments":{"text":"a","size":3}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"x"}}`,
		`{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{"cursor":"abc","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"docket://evidence/c_x"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"answer_with_citations","arguments":{"question":"q"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`,
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`"`, `{`, `}`, `[`, `]`, `:`, `,`, "\xff", "\x00", `\`, `null`, `-1`, `1e999`, `"id"`, "\xef\xbb\xbf", ` `, `\u0000`, `{}`}
	for i := range frames {
		b := []byte(seeds[rnd.IntN(len(seeds))])
		for range 1 + rnd.IntN(4) {
			at := rnd.IntN(len(b) + 1)
			switch rnd.IntN(4) {
			case 0:
				b = b[:at]
			case 1:
				b = slices.Insert(b, at, []byte(pieces[rnd.IntN(len(pieces))])...)
			case 2:
				b = slices.Replace(b, at, min(at+1, len(b)), byte(rnd.IntN(256)))
			case 3:
				b = slices.Delete(b, at, min(at+1, len(b)))
			}
		}
		p.send(string(b))
		if i%1000 == 999 { // answers to the frames come too; the session lives if it answers this one
			id := fmt.Sprintf("after %d", i)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"ping"}`, id))
			for string(p.receive().ID) != strconv.Quote(id) {
			}
		}
	}
}

// FuzzLine holds that a line is a message, an answer, or nothing; that each answer is one line of JSON-RPC; and that the line
// after it is read as if it had not been.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`, `[]`, `{"id":1}`, "\xef\xbb\xbf{}", `{"jsonrpc":"2.0","id":"\ud800","method":1}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"x"}`, `{"a":{"id":1},"id":2,`, `{"jsonrpc":"2.0","\u0069d":7,"method":"ping"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		in = []byte(strings.ReplaceAll(string(in), "\n", " "))
		var out strings.Builder
		c := newConn(strings.NewReader(string(in)+"\n"+`{"jsonrpc":"2.0","id":"next","method":"ping"}`+"\n"), &out, slog.New(slog.DiscardHandler))
		defer c.Close()
		var last jsonrpc.Message
		for range 2 {
			msg, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if req, ok := msg.(*jsonrpc.Request); ok && req.ID.Raw() == "next" {
				last = msg
				break
			}
		}
		if last == nil {
			t.Fatal("the next line was lost")
		}
		for l := range strings.Lines(out.String()) {
			var m message
			if err := json.Unmarshal([]byte(l), &m); err != nil || m.Version != "2.0" || m.Error == nil || m.Error.Code >= 0 {
				t.Fatalf("answered %q: %v", l, err)
			}
		}
	})
}

// failingWriter breaks after some bytes, as a closed pipe does.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestBrokenOutput(t *testing.T) {
	s := newServer(t, dbtest.Open(t), nil)
	inR, inW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Run(context.WithoutCancel(t.Context()), inR, &failingWriter{100}) }()
	p := &peer{t: t, in: inW, done: done}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	if err := p.ended(); err == nil {
		t.Error("Run returned nil with its output broken")
	}
}
