package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

type testParams struct {
	Name  string   `json:"name"`
	Mode  string   `json:"mode"`
	Limit int64    `json:"limit"`
	Deep  bool     `json:"deep"`
	IDs   []string `json:"ids"`
	Pairs []struct {
		Key string `json:"key"`
		N   int64  `json:"n"`
	} `json:"pairs"`
}

func testSchema() *schema {
	return object(
		required("name", text("a name").from(1).upTo(5)),
		optional("mode", choice("a mode", "fast", "slow").byDefault("fast")),
		optional("limit", integer("how many").from(1).upTo(50).byDefault(10)),
		optional("deep", boolean("whether")),
		optional("ids", listOf("ids", text("an id")).from(1).upTo(3)),
		optional("pairs", listOf("pairs", object(required("key", text("")), optional("n", integer("").from(0))))),
	)
}

// Case 152: the unambiguous string form of a number, a boolean and a list is taken, and nothing else is guessed.
func TestDecode(t *testing.T) {
	ok := func(change func(*testParams)) testParams {
		p := testParams{Name: "n", Mode: "fast", Limit: 10}
		if change != nil {
			change(&p)
		}
		return p
	}
	for _, tt := range []struct {
		name, in string
		want     testParams
		err      string // part of "message; next_action"
	}{
		{"defaults", `{"name":"n"}`, ok(nil), ""},
		{"null is absent", `{"name":"n","limit":null,"mode":null,"ids":null}`, ok(nil), ""},
		{"the last of two keys wins", `{"name":"x","name":"n"}`, ok(nil), ""},
		{"an integer with a fraction of zero", `{"name":"n","limit":20.0}`, ok(func(p *testParams) { p.Limit = 20 }), ""},
		{"an integer in exponent form", `{"name":"n","limit":2e1}`, ok(func(p *testParams) { p.Limit = 20 }), ""},
		{"an integer as a string", `{"name":"n","limit":"20"}`, ok(func(p *testParams) { p.Limit = 20 }), ""},
		{"a boolean as a string", `{"name":"n","deep":"true"}`, ok(func(p *testParams) { p.Deep = true }), ""},
		{"a list as a string", `{"name":"n","ids":"[\"a\",\"b\"]"}`, ok(func(p *testParams) { p.IDs = []string{"a", "b"} }), ""},
		{"all digits kept", `{"name":"n","pairs":[{"key":"k","n":9007199254740993}]}`, ok(func(p *testParams) {
			p.Pairs = append(p.Pairs, struct {
				Key string `json:"key"`
				N   int64  `json:"n"`
			}{"k", 9007199254740993})
		}), ""},
		{"characters, not bytes", `{"name":"ééééé"}`, ok(func(p *testParams) { p.Name = "ééééé" }), ""},
		{"bounds are within", `{"name":"n","limit":50,"ids":["a","b","c"]}`, ok(func(p *testParams) { p.Limit, p.IDs = 50, []string{"a", "b", "c"} }), ""},

		{"nothing", ``, testParams{}, "name is missing; send name: a string of 1 to 5 characters"},
		{"null", `null`, testParams{}, "name is missing"},
		{"required null", `{"name":null}`, testParams{}, "name is missing"},
		{"a list", `[]`, testParams{}, "arguments is a list of 0 items; send an object of name, mode"},
		{"a string", `"x"`, testParams{}, `arguments is "x"`},
		{"unknown", `{"name":"n","nam":1}`, testParams{}, `"nam" is not a parameter; leave it out; the parameters are name, mode, limit, deep, ids, pairs`},
		{"another case", `{"Name":"n"}`, testParams{}, `"Name" is not a parameter`},
		{"unknown and null", `{"name":"n","x":null}`, testParams{}, `"x" is not a parameter`},
		{"unknown within", `{"name":"n","pairs":[{"key":"a","z":1}]}`, testParams{}, `pairs[0]."z" is not a parameter`},
		{"missing within", `{"name":"n","pairs":[{"key":"a"},{}]}`, testParams{}, `pairs[1].key is missing`},
		{"below", `{"name":"n","limit":0}`, testParams{}, "limit is 0; send an integer from 1 to 50"},
		{"above", `{"name":"n","limit":51}`, testParams{}, "limit is 51; send an integer from 1 to 50"},
		{"far above", `{"name":"n","limit":99999999999999999999}`, testParams{}, "limit is 99999999999999999999"},
		{"a fraction", `{"name":"n","limit":1.5}`, testParams{}, "limit is 1.5; send an integer"},
		{"a word", `{"name":"n","limit":"ten"}`, testParams{}, `limit is "ten"; send an integer`},
		{"hexadecimal", `{"name":"n","limit":"0x10"}`, testParams{}, `limit is "0x10"`},
		{"an empty string for a number", `{"name":"n","limit":""}`, testParams{}, `limit is ""`},
		{"true for a number", `{"name":"n","limit":true}`, testParams{}, `limit is true`},
		{"a number for a string", `{"name":5}`, testParams{}, "name is 5; send a string"},
		{"a number for a boolean", `{"name":"n","deep":1}`, testParams{}, "deep is 1; send true or false"},
		{"yes for a boolean", `{"name":"n","deep":"yes"}`, testParams{}, `deep is "yes"`},
		{"empty", `{"name":""}`, testParams{}, `name is ""; send a string of 1 to 5 characters`},
		{"too long", `{"name":"éééééé"}`, testParams{}, `name is "éééééé"`},
		{"very long", `{"name":"` + strings.Repeat("x", 5000) + `"}`, testParams{}, `name is a string of 5000 characters`},
		{"not one of them", `{"name":"n","mode":"Fast"}`, testParams{}, `mode is "Fast"; send one of "fast", "slow"`},
		{"one id, not a list", `{"name":"n","ids":"a"}`, testParams{}, `ids is "a"; send a list of 1 to 3 items, each a string`},
		{"ids with commas", `{"name":"n","ids":"a,b"}`, testParams{}, `ids is "a,b"`},
		{"no ids", `{"name":"n","ids":[]}`, testParams{}, `ids is a list of 0 items`},
		{"too many ids", `{"name":"n","ids":["a","b","c","d"]}`, testParams{}, `ids is a list of 4 items`},
		{"an id that is a number", `{"name":"n","ids":["a",7]}`, testParams{}, `ids[1] is 7; send a string`},
		{"an id that is null", `{"name":"n","ids":[null]}`, testParams{}, `ids[0] is null; send a string`},
		{"not JSON", `{"name"`, testParams{}, `arguments are not JSON`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got testParams
			err := testSchema().decode(json.RawMessage(tt.in), &got)
			if tt.err != "" {
				e, ok := err.(*toolError)
				if !ok || e.Code != "invalid_parameter" || e.RetrySafe || !strings.HasPrefix(e.Message+"; "+e.NextAction, tt.err) {
					t.Fatalf("got %+v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzDecode holds that whatever is taken is what the published schema allows, once strings stand for what they say.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"name":"n","limit":"5","ids":"[\"a\"]"}`, `{"name":"n","pairs":[{"key":"k","n":1e3}]}`, `{"name":null}`, `[]`, `{"name":"\ud800"}`} {
		f.Add(s)
	}
	b, err := marshal(testSchema())
	if err != nil {
		f.Fatal(err)
	}
	var published jsonschema.Schema
	if err := json.Unmarshal(b, &published); err != nil {
		f.Fatal(err)
	}
	resolved, err := published.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var p testParams
		if err := testSchema().decode(json.RawMessage(in), &p); err != nil {
			if _, ok := err.(*toolError); !ok {
				t.Fatalf("%q: an error without words: %v", in, err)
			}
			return
		}
		v, err := parse([]byte(in))
		if err != nil {
			v = map[string]any{}
		}
		if v, err = testSchema().check("arguments", v); err != nil {
			t.Fatal(err)
		}
		out, err := marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var instance any
		if err := json.Unmarshal(out, &instance); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(instance); err != nil {
			t.Errorf("%q was taken, and the schema refuses it: %v", in, err)
		}
	})
}
