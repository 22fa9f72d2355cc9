package worker_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docket/ingest/format"
	"docket/ingest/worker"

	"github.com/google/go-cmp/cmp"
)

// TestMain is also the child: the test binary started again with one of these arguments.
func TestMain(m *testing.M) {
	switch os.Args[len(os.Args)-1] {
	case "__parse":
		if err := worker.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case "__odd":
		if err := worker.ServeOdd(os.Stdin, os.Stdout, odd); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case "__parent":
		parent()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var sink atomic.Uint64

// odd does what a document's name says.
func odd(name string, n int, _ []byte) (*format.Document, error) {
	switch name {
	case "spin":
		for i := uint64(1); i != 0; i++ {
			sink.Store(i)
		}
	case "sleep":
		time.Sleep(time.Hour)
	case "nap":
		time.Sleep(300 * time.Millisecond)
	case "fill":
		var all [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := range b {
				b[i] = byte(i)
			}
			all = append(all, b)
			if len(all) > 1000 {
				return nil, errors.New("nobody stopped me")
			}
		}
	case "crash":
		go panic("the document did this")
		select {}
	case "crash-later":
		if n > 1 {
			os.Exit(3)
		}
	case "panic":
		panic("caught")
	case "flood":
		for range 1000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 1000))
		}
		os.Exit(4)
	case "noise":
		fmt.Fprintln(os.Stdout, "a line that does not belong here")
	case "unsound":
		return &format.Document{Text: "a", Sections: []format.Section{{Parent: -1, End: 7}}}, nil
	}
	return nil, nil
}

func client(t *testing.T, mode string, limits worker.Limits) *worker.Client {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := worker.New(worker.Options{Command: []string{exe, mode}, CacheDir: cacheDir(), Limits: limits})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// cacheDir is the one cache of all packages' tests: PDFium is compiled once a machine.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "docket-test")
}

const page = "<h1>Head</h1><p>Some words.</p>"

// alive checks that the client goes on as if nothing had happened.
func alive(t *testing.T, c *worker.Client) {
	t.Helper()
	doc, err := c.Parse(t.Context(), "page.html", []byte(page))
	if err != nil || doc.Text != "Head\n\nSome words." {
		t.Fatalf("the next document: %v, %v", doc, err)
	}
}

func TestParseAsInThisProcess(t *testing.T) {
	c := client(t, "__parse", worker.Limits{})
	word := wordFile(t, "<w:p><w:r><w:t>Text</w:t></w:r></w:p>")
	want, err := format.ParseDOCX(word, format.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Parse(t.Context(), "a.docx", word)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	alive(t, c)
	pid := c.Pid()
	doc, err := c.Parse(t.Context(), "multi.pdf", corpusFile(t, "23-multi_page.pdf"))
	if err != nil || doc.Pages != 5 || !strings.Contains(doc.Text, "The Rise of Personal Computers") {
		t.Errorf("pdf: %v", err)
	}
	if _, err := c.Parse(t.Context(), "x.pdf", corpusFile(t, "07-PasswordSample-256bit.pdf")); !errors.Is(err, format.ErrEncrypted) {
		t.Errorf("encrypted: %v", err)
	}
	if _, err := c.Parse(t.Context(), "x.bin", []byte{0, 1, 2, 3}); err == nil || !strings.Contains(err.Error(), "no parser") {
		t.Errorf("binary: %v", err)
	}
	if _, err := c.Parse(t.Context(), "x.docx", nil); err == nil {
		t.Error("nothing was read as something")
	}
	alive(t, c)
	if c.Pid() != pid {
		t.Error("the child was replaced without need")
	}
}

// Case 37: a document that breaks its parser is named with the reason, and nobody else notices.
func TestKilled(t *testing.T) {
	tests := []struct {
		name   string
		limits worker.Limits
		want   string
	}{
		{"spin", worker.Limits{CPU: 200 * time.Millisecond, CPUPerMB: 100 * time.Millisecond}, "it used more than 300ms of processor time"},
		{"fill", worker.Limits{Memory: 300 << 20}, "it used more than 300 MB of memory"},
		{"sleep", worker.Limits{Wall: 300 * time.Millisecond}, "it took longer than 300ms"},
		{"crash", worker.Limits{}, "it crashed (exit status 2): panic: the document did this"},
		{"flood", worker.Limits{}, "it crashed (exit status 4): noise noise"},
		{"noise", worker.Limits{}, "it answered with nonsense"},
		{"unsound", worker.Limits{}, "the answer is not sound: section 0 lies outside the text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if (tt.name == "spin" || tt.name == "fill") && runtime.GOOS != "linux" {
				t.Skip("only Linux says what a process uses")
			}
			c := client(t, "__odd", tt.limits)
			_, err := c.Parse(t.Context(), tt.name, []byte("<html>"))
			wantKilled(t, err, tt.want)
			alive(t, c)
		})
	}
}

func wantKilled(t *testing.T, err error, reason string) {
	t.Helper()
	killed, ok := errors.AsType[*worker.KilledError](err)
	if !ok || !strings.HasPrefix(killed.Reason, reason) {
		t.Errorf("got %v, want a reason that begins %q", err, reason)
	}
	if ok && len(killed.Reason) > 400 {
		t.Errorf("a reason of %d bytes", len(killed.Reason))
	}
}

// A parser's panic that is caught costs neither the child nor the file's quarantine.
func TestPanicIsAnError(t *testing.T) {
	c := client(t, "__odd", worker.Limits{})
	alive(t, c)
	pid := c.Pid()
	_, err := c.Parse(t.Context(), "panic", []byte("<html>"))
	if _, ok := errors.AsType[*worker.KilledError](err); ok || err == nil {
		t.Errorf("got %v", err)
	}
	if alive(t, c); c.Pid() != pid {
		t.Error("the child was replaced")
	}
}

// What an earlier document left behind is not a later one's fault: a new child tries it again.
func TestCrashIsTriedInANewChild(t *testing.T) {
	c := client(t, "__odd", worker.Limits{})
	alive(t, c)
	first := c.Pid()
	if _, err := c.Parse(t.Context(), "crash-later", []byte("<html>x")); err != nil {
		t.Errorf("the new child's answer: %v", err)
	}
	if c.Pid() == first {
		t.Error("no new child")
	}
}

func TestChildIsReplaced(t *testing.T) {
	c := client(t, "__parse", worker.Limits{Files: 3})
	pids := map[int]bool{}
	for range 9 {
		alive(t, c)
		if pid := c.Pid(); pid != 0 {
			pids[pid] = true
		}
	}
	if len(pids) != 3 {
		t.Errorf("%d children for 9 documents, 3 for each", len(pids))
	}
	if runtime.GOOS == "linux" {
		c = client(t, "__parse", worker.Limits{Keep: 1})
		if alive(t, c); c.Pid() != 0 {
			t.Error("a child above the bytes to keep was kept")
		}
	}
}

func TestCancelKillsTheChild(t *testing.T) {
	c := client(t, "__odd", worker.Limits{})
	alive(t, c)
	pid := c.Pid()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Parse(ctx, "sleep", []byte("<html>")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if running(pid) {
		t.Error("the child still runs")
	}
	if _, err := c.Parse(ctx, "page.html", []byte(page)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a context that has ended: %v", err)
	}
	alive(t, c)
}

func TestClose(t *testing.T) {
	c := client(t, "__odd", worker.Limits{})
	alive(t, c)
	pid := c.Pid()
	done := make(chan error)
	go func() {
		_, err := c.Parse(context.Background(), "sleep", []byte("<html>"))
		done <- err
	}()
	time.Sleep(50 * time.Millisecond) // closing before Parse has begun is allowed too, and answers alike
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-done; !errors.Is(err, worker.ErrClosed) {
		t.Errorf("the call under way: %v", err)
	}
	if running(pid) {
		t.Error("the child still runs")
	}
	if _, err := c.Parse(t.Context(), "a.html", nil); !errors.Is(err, worker.ErrClosed) || !errors.Is(err, worker.ErrUnavailable) {
		t.Errorf("after Close: %v", err)
	}
}

func TestNoCommand(t *testing.T) {
	for _, command := range [][]string{nil, {filepath.Join(t.TempDir(), "missing")}} {
		c := worker.New(worker.Options{Command: command})
		if _, err := c.Parse(t.Context(), "a.html", nil); !errors.Is(err, worker.ErrUnavailable) {
			t.Errorf("%v: %v", command, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// parent parses something that never ends, and says who does it.
func parent() {
	exe, err := os.Executable()
	if err != nil {
		os.Exit(1)
	}
	c := worker.New(worker.Options{Command: []string{exe, "__odd"}})
	if _, err := c.Parse(context.Background(), "a.html", []byte(page)); err != nil {
		os.Exit(1)
	}
	fmt.Println(c.Pid())
	_, _ = c.Parse(context.Background(), "spin", []byte("<html>"))
}

// A child does not outlive its parent, even one that is killed while the child is busy.
func TestNoOrphan(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "__parent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the second document is on its way
	if !running(pid) {
		t.Fatal("the child does not run")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range 100 {
		if !running(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the child still runs 2 s after its parent was killed")
}

func TestKilledChildrenLeaveNoDescriptors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	open := func() int {
		e, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(e)
	}
	c := client(t, "__odd", worker.Limits{})
	alive(t, c)
	before := open()
	for range 5 {
		_, err := c.Parse(t.Context(), "crash", []byte("<html>"))
		wantKilled(t, err, "it crashed")
	}
	alive(t, c)
	if after := open(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func FuzzFrame(f *testing.F) {
	var good bytes.Buffer
	if err := worker.WriteFrame(&good, []byte("payload")); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := worker.ReadFrame(bytes.NewReader(data), 1<<20)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := worker.WriteFrame(&b, got); err != nil || !bytes.HasPrefix(data, b.Bytes()) {
			t.Errorf("%x was read as %x (%v)", data, got, err)
		}
	})
}

func TestFrameSeesDamage(t *testing.T) {
	var b bytes.Buffer
	if err := worker.WriteFrame(&b, []byte("payload")); err != nil {
		t.Fatal(err)
	}
	for i := range b.Len() {
		spoilt := bytes.Clone(b.Bytes())
		spoilt[i] ^= 1
		if got, err := worker.ReadFrame(bytes.NewReader(spoilt), 1<<20); err == nil {
			t.Errorf("byte %d turned: read %q", i, got)
		}
	}
	if _, err := worker.ReadFrame(bytes.NewReader(nil), 1); err != io.EOF {
		t.Errorf("an empty stream: %v", err)
	}
}

func wordFile(t testing.TB, body string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, `<w:document xmlns:w="w"><w:body>`+body+`</w:body></w:document>`); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", "files", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
