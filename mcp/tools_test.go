package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"docket/db/dbtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A listedTool is a tool as clients see it.
type listedTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations map[string]any  `json:"annotations"`
}

// listTools returns the result of tools/list of a server without the tests' tools, and its tools.
func listTools(t testing.TB) (json.RawMessage, []listedTool) {
	t.Helper()
	s, err := New(dbtest.Open(t), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m := serve(t, s).initialize().request("tools/list", map[string]any{})
	var list struct{ Tools []listedTool }
	if err := json.Unmarshal(m.Result, &list); err != nil {
		t.Fatal(err)
	}
	return m.Result, list.Tools
}

// What models see is reviewed as a diff of testdata/tools.json.
func TestToolsGolden(t *testing.T) {
	raw, tools := listTools(t)
	var got bytes.Buffer
	if err := json.Indent(&got, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", "tools.json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("run with -update and read the diff (-want +got):\n%s", diff)
	}
	if len(raw) > 30_000 {
		t.Errorf("tools/list has %d bytes", len(raw))
	}
	t.Logf("%d tools in %d bytes", len(tools), len(raw))
}

// TestToolsLint holds the tools to what every host takes. Cases 147, 148, 149, 154.
func TestToolsLint(t *testing.T) {
	_, tools := listTools(t)
	for _, tool := range tools {
		t.Run(tool.Name, func(t *testing.T) { lintTool(t, tool) })
	}
}

var toolName = regexp.MustCompile(`^[a-z_]+$`)

func lintTool(t *testing.T, tool listedTool) {
	if !toolName.MatchString(tool.Name) || len("mcp__docket__"+tool.Name) >= 60 {
		t.Error("a name that some hosts hide")
	}
	if tool.Title == "" || tool.Description == "" {
		t.Error("no title or description")
	}
	if got := slices.Sorted(maps.Keys(tool.Annotations)); !slices.Equal(got, []string{"destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"}) {
		t.Errorf("annotations %v", got)
	}
	for kind, raw := range map[string]json.RawMessage{"input": tool.Input, "output": tool.Output} {
		var s map[string]any
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		if s["type"] != "object" {
			t.Errorf("the %s schema is a %v", kind, s["type"])
		}
		lintSchema(t, kind, s)
		if _, err := resolve(raw); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	var in struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(tool.Input, &in); err != nil {
		t.Fatal(err)
	}
	for name, p := range in.Properties {
		if p.Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
}

// lintSchema allows each kind of schema its own keywords and no other.
func lintSchema(t *testing.T, path string, s map[string]any) {
	allowed := map[string][]string{
		"object":  {"properties", "required", "additionalProperties"},
		"array":   {"items", "minItems", "maxItems"},
		"string":  {"enum", "minLength", "maxLength"},
		"integer": {"minimum", "maximum"},
		"number":  {"minimum", "maximum"},
		"boolean": {},
	}
	kind, _ := s["type"].(string)
	words, ok := allowed[kind]
	if !ok {
		t.Errorf("%s: type %v", path, s["type"])
		return
	}
	for key := range s {
		if !slices.Contains(append(words, "type", "description", "default"), key) {
			t.Errorf("%s: keyword %s in a %s", path, key, kind)
		}
	}
	switch kind {
	case "object":
		properties, ok := s["properties"].(map[string]any)
		if !ok || s["additionalProperties"] != false {
			t.Errorf("%s: an object without properties, or with any", path)
		}
		for name, p := range properties {
			if sub, ok := p.(map[string]any); ok {
				lintSchema(t, path+"."+name, sub)
			} else {
				t.Errorf("%s.%s is not an object", path, name)
			}
		}
	case "array":
		if items, ok := s["items"].(map[string]any); ok {
			lintSchema(t, path+"[]", items)
		} else {
			t.Errorf("%s: a list without items", path)
		}
	}
}

// Case 149: a tool without parameters still has properties.
func TestEmptySchema(t *testing.T) {
	b, err := marshal(object())
	if want := `{"type":"object","properties":{},"additionalProperties":false}`; err != nil || string(b) != want {
		t.Errorf("got %s, %v, want %s", b, err, want)
	}
}

func resolve(raw json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// checkOutput holds a structured result to the tool's own schema. Case 150.
func checkOutput(t testing.TB, tools []listedTool, name string, structured json.RawMessage) {
	t.Helper()
	i := slices.IndexFunc(tools, func(tool listedTool) bool { return tool.Name == name })
	if i < 0 {
		t.Fatalf("no tool %s", name)
	}
	schema, err := resolve(tools[i].Output)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(structured, &v); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("the result of %s is not of its schema: %v\n%.500s", name, err, structured)
	}
}

func TestInstructions(t *testing.T) {
	if len(instructions) > 1024 {
		t.Errorf("the instructions have %d bytes", len(instructions))
	}
	p := serve(t, newServer(t, dbtest.Open(t), nil))
	m := p.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	var r struct {
		Instructions string
		Capabilities map[string]any
		ServerInfo   struct{ Name, Version string }
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		t.Fatal(err)
	}
	if r.Instructions != instructions || r.ServerInfo.Name != "docket" || r.ServerInfo.Version != "dev" {
		t.Errorf("got %+v", r)
	}
	if got := slices.Sorted(maps.Keys(r.Capabilities)); !slices.Equal(got, []string{"prompts", "resources", "tools"}) {
		t.Errorf("capabilities %v", got)
	}
}

// Every list and every reading is marked as private, in the protocol's present and its next version.
func TestCacheScope(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), nil))
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
	}
	for _, method := range []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		m := p.request(method, map[string]any{"_meta": meta})
		var r struct{ CacheScope string }
		if m.Error != nil {
			t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if err := json.Unmarshal(m.Result, &r); err != nil || r.CacheScope != "private" {
			t.Errorf("%s has cacheScope %q", method, r.CacheScope)
		}
	}
}

func TestPrompt(t *testing.T) {
	p := serve(t, newServer(t, dbtest.Open(t), nil)).initialize()
	for _, arguments := range []map[string]any{nil, {}, {"question": " "}, {"q": "x"}} {
		if m := p.request("prompts/get", map[string]any{"name": "answer_with_citations", "arguments": arguments}); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%v: answered %s, want code -32602", arguments, m.Result)
		}
	}
	m := p.request("prompts/get", map[string]any{"name": "answer_with_citations", "arguments": map[string]any{"question": "Why <this>?"}})
	if m.Error != nil || !strings.Contains(string(m.Result), "Why <this>?") {
		t.Errorf("answered %s, %v", m.Result, m.Error)
	}
	m = p.request("prompts/list", map[string]any{})
	var list struct {
		Prompts []struct {
			Description string
			Arguments   []struct {
				Required bool
			}
		}
	}
	if err := json.Unmarshal(m.Result, &list); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(len(list.Prompts), len(list.Prompts[0].Arguments), list.Prompts[0].Arguments[0].Required) != "1 1 true" || list.Prompts[0].Description == "" {
		t.Errorf("prompts/list: %s", m.Result)
	}
}
