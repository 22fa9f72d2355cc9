package cli

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docket/ingest"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md")

// docs/cli.md is what help prints, for every command, and nothing else.
func TestDocsAreCurrent(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# The command line\n\nMade from the commands themselves by `go test ./internal/cli -update`; do not edit.\n\n```\n")
	c := &call{out: bufio.NewWriter(&b)}
	c.overview()
	_ = c.out.Flush()
	b.WriteString("```\n")
	for _, cmd := range commands {
		fmt.Fprintf(&b, "\n## docket %s\n\n```\n", cmd.name)
		c.usage(cmd)
		_ = c.out.Flush()
		b.WriteString("```\n")
	}
	b.WriteString("\n## Settings\n\nA flag goes before the environment, that before the config file, and that before the default. The config file uses the names of the environment.\n\n| name | flag | default | meaning |\n|---|---|---|---|\n")
	preset := defaults()
	for _, s := range settings {
		value := "not set"
		if v := s.value(&preset).plain(); v != nil {
			value = fmt.Sprint(v)
		}
		_, usage := flag.UnquoteUsage(&flag.Flag{Usage: s.usage})
		fmt.Fprintf(&b, "| `%s` | `--%s` | %s | %s |\n", s.name, s.flag, value, usage)
	}
	const path = "../../docs/cli.md"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(have)); diff != "" {
		t.Errorf("docs/cli.md is stale; run go test ./internal/cli -update (-want +got):\n%s", diff)
	}
}

// Every command can be told apart, says what it does, and has no flag that hides a common one.
func TestCommandsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range commands {
		if seen[cmd.name] || cmd.short == "" || cmd.long == "" || cmd.setup == nil {
			t.Errorf("%s: defined twice, or without a text", cmd.name)
		}
		seen[cmd.name] = true
		if cmd.max >= 0 && cmd.max < cmd.min {
			t.Errorf("%s: takes %d to %d arguments", cmd.name, cmd.min, cmd.max)
		}
		cmd.flagSet() // panics on a flag that is defined twice
	}
}

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text stays", "a\tb\nç 日本 👩‍👩‍👧 می\u200cخواهم", "a\tb\nç 日本 👩‍👩‍👧 می\u200cخواهم"},
		{"escape sequences", "\x1b[31mred\x1b[0m\a", "␛[31mred␛[0m␇"},
		{"NUL and DEL", "a\x00b\x7f", "a␀b␡"},
		{"C1", "a\u009b31m", "a<U+009B>31m"},
		{"line ends of Windows", "a\r\nb", "a\nb"},
		{"a lone CR would write over the line", "safe\revil", "safe␍evil"},
		{"CRLF beside a control", "a\r\nb\x00", "a\nb␀"},
		{"bidi override", "user\u202etxt", "user<U+202E>txt"},
		{"tag characters", "hi\U000e0041", "hi<U+E0041>"},
		{"zero width and BOM", "a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"},
		{"bytes that are not UTF-8", "a\xffb", "a\ufffdb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, visible(tt.in)); diff != "" {
				t.Errorf("visible(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestInterleaved(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"flags last", []string{"a", "b", "--n", "1"}, "[a b] 1 false"},
		{"flags first", []string{"--n=1", "-b", "a"}, "[a] 1 true"},
		{"flags between", []string{"a", "--n", "1", "b", "--b=false"}, "[a b] 1 false"},
		{"dashes end the flags", []string{"a", "--", "--n", "-b"}, "[a --n -b]  false"},
		{"a lone dash is an argument", []string{"-", "--n", "x"}, "[-] x false"},
		{"the last one counts", []string{"--n", "1", "a", "--n", "2"}, "[a] 2 false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fs := newFlags("t")
			n, b := fs.String("n", "", ""), fs.Bool("b", false, "")
			words, _, err := interleaved(fs, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(words, " ", *n, " ", *b); got != tt.want {
				t.Errorf("interleaved(%q) = %s, want %s", tt.args, got, tt.want)
			}
		})
	}
}

// A person at a terminal sees one line that is written over; a log gets only what its reader has to know.
func TestMeter(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		want     string
	}{
		{"terminal", true, "\r\x1b[Ka␛: 3 files found\r\x1b[Kdocket: another docket is indexing; waiting until it is done\n"},
		{"log", false, "docket: another docket is indexing; waiting until it is done\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			m := meter{w: &b, terminal: tt.terminal}
			m.show(ingest.Progress{Root: "a\x1b", Stage: ingest.StageWalking, Files: 3})
			m.show(ingest.Progress{Root: "a\x1b", Stage: ingest.StageIndexing, Files: 3, Done: 1}) // too soon
			m.show(ingest.Progress{Stage: ingest.StageWaiting})
			m.clear()
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
