package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetEntry(t *testing.T) {
	value := map[string]any{"command": "d"}
	for _, tt := range []struct{ name, in, want string }{
		{"no file", "", "{\n  \"mcpServers\": {\n    \"docket\": {\n      \"command\": \"d\"\n    }\n  }\n}\n"},
		{"empty object", "{}", "{\n  \"mcpServers\": {\n    \"docket\": {\n      \"command\": \"d\"\n    }\n  }\n}"},
		{
			"other keys stay byte for byte", "{\r\n\t\"a\" : 1.50,\r\n\t\"b\":\t\"\\u00e9\\/\"\r\n}\r\n",
			"{\r\n\t\"a\" : 1.50,\r\n\t\"b\":\t\"\\u00e9\\/\",\r\n\t\"mcpServers\": {\n\t  \"docket\": {\n\t    \"command\": \"d\"\n\t  }\n\t}\r\n}\r\n",
		},
		{
			"beside another server", "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"x\": {},\n    \"docket\": {\n      \"command\": \"d\"\n    }\n  }\n}",
		},
		{"no servers yet", "{\n  \"mcpServers\": {}\n}", "{\n  \"mcpServers\": {\n    \"docket\": {\n      \"command\": \"d\"\n    }\n  }\n}"},
		{"on one line", `{"mcpServers":{"docket":[1],"y":2},"z":3}`, `{"mcpServers":{"docket":{"command":"d"},"y":2},"z":3}`},
		{"the key also stands deeper", `{"projects":{"mcpServers":{"docket":1}},"mcpServers":{}}`, "{\"projects\":{\"mcpServers\":{\"docket\":1}},\"mcpServers\":{\n  \"docket\": {\n    \"command\": \"d\"\n  }\n}}"},
		{"an escaped key is the same key", `{"mcpServers":{"\u0064ocket":1}}`, `{"mcpServers":{"\u0064ocket":{"command":"d"}}}`},
		{"byte-order mark", "\ufeff{\"a\":1}", "\ufeff{\"a\":1,\"mcpServers\": {\"docket\":{\"command\":\"d\"}}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := setEntry(tt.in, "mcpServers", "docket", value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("setEntry (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeleteEntry(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no file", "", ""},
		{"not there", `{"mcpServers":{"x":1}}`, `{"mcpServers":{"x":1}}`},
		{"no servers", `{"docket":1}`, `{"docket":1}`},
		{"the only one", "{\"mcpServers\": {\n  \"docket\": {}\n}}", `{"mcpServers": {}}`},
		{"the first", "{\"mcpServers\": {\n  \"docket\": {},\n  \"x\": 1\n}}", "{\"mcpServers\": {\n  \"x\": 1\n}}"},
		{"the last", "{\"mcpServers\": {\n  \"x\": 1,\n  \"docket\": {}\n}}", "{\"mcpServers\": {\n  \"x\": 1\n}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, found, err := deleteEntry(tt.in, "mcpServers", "docket")
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || found != (tt.in != tt.want) {
				t.Errorf("deleteEntry = %q, %v, want %q", got, found, tt.want)
			}
		})
	}
}

func TestEntryRefused(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"comments", "{ // mine\n}", "invalid character"},
		{"cut off", `{"mcpServers": {"x": {}`, "unexpected EOF"},
		{"a list", `[]`, "not a JSON object"},
		{"two objects", `{} {}`, "text follows"},
		{"servers are a list", `{"mcpServers":[]}`, "not an object"},
		{"servers twice", `{"mcpServers":{},"mcpServers":{}}`, "twice"},
		{"docket twice", `{"mcpServers":{"docket":1,"docket":2}}`, "twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := setEntry(tt.in, "mcpServers", "docket", 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("setEntry = %v, want an error with %q", err, tt.want)
			}
			_, _, err = deleteEntry(tt.in, "mcpServers", "docket")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("deleteEntry = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// Whatever the file holds, setting the entry changes the entry and nothing else, twice is as good as once, and taking it out
// again leaves what was there.
func FuzzSetEntry(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,{"b":null}],"mcpServers":{"x":{"env":{}}}}`, "{\n\t\"mcpServers\" : { \"docket\" : 1 }\n}", "\ufeff{ }", ""} {
		f.Add(s)
	}
	value := map[string]any{"command": "/bin/docket <&>", "args": []any{"serve"}}
	f.Fuzz(func(t *testing.T, in string) {
		out, err := setEntry(in, "mcpServers", "docket", value)
		if err != nil {
			return
		}
		again, err := setEntry(out, "mcpServers", "docket", value)
		if err != nil || again != out {
			t.Fatalf("set twice: %q, %v, want %q", again, err, out)
		}
		want := decode(t, in)
		servers, _ := want["mcpServers"].(map[string]any)
		if servers == nil {
			servers = map[string]any{}
			want["mcpServers"] = servers
		}
		servers["docket"] = value
		if diff := cmp.Diff(want, decode(t, out)); diff != "" {
			t.Fatalf("%q became %q (-want +got):\n%s", in, out, diff)
		}
		less, found, err := deleteEntry(out, "mcpServers", "docket")
		if err != nil || !found {
			t.Fatalf("delete: %v, %v", found, err)
		}
		delete(servers, "docket")
		if diff := cmp.Diff(want, decode(t, less)); diff != "" {
			t.Fatalf("%q became %q (-want +got):\n%s", out, less, diff)
		}
	})
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	m := map[string]any{}
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.TrimSpace(text) == "" {
		return m
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}
