package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestUnescape(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing to do", `{"a":"b"}`, `{"a":"b"}`},
		{"all three", `"\u003cdiv\u003e \u0026"`, `"<div> &"`},
		{"an escaped backslash before it", `"\\u003c"`, `"\\u003c"`},
		{"an odd number of backslashes", `"\\\u003c"`, `"\\<"`},
		{"another escape stays", `"\u0000\u2028\n\""`, `"\u0000\u2028\n\""`},
		{"capital digits are not ours", `"\u003C"`, `"\u003C"`},
		{"cut short", `\u00`, `\u00`},
		{"a backslash at the end", `\`, `\`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(unescape([]byte(tt.in))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// FuzzUnescape holds that a line means the same before and after, and has no HTML escape left.
func FuzzUnescape(f *testing.F) {
	for _, s := range []string{`<a> & \u003c \\ "x"`, `\\\`, "\u2028<\x00>", `\u0026\\u0026`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(map[string]string{"k": s, s: "v"})
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		plain := unescape(bytes.Clone(b))
		if err := json.Unmarshal(plain, &got); err != nil {
			t.Fatalf("%s: %v", plain, err)
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s became %s", b, plain)
		}
		if again := unescape(bytes.Clone(plain)); !bytes.Equal(again, plain) {
			t.Errorf("%s is not stable: %s", plain, again)
		}
	})
}
