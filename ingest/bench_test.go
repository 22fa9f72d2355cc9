package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"docket/db"
	"docket/ingest"
)

// BenchmarkSync indexes generated Markdown notes into a new store, and reports what a second of processor time takes in, and the
// heap in use afterwards. DOCKET_BENCH_FILES sets how many files there are.
func BenchmarkSync(b *testing.B) {
	files := 2000
	if s := os.Getenv("DOCKET_BENCH_FILES"); s != "" {
		if _, err := fmt.Sscan(s, &files); err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	size := notes(b, dir, files)
	var cpu time.Duration
	var peak uint64
	for b.Loop() {
		d, err := db.Open(b.Context(), filepath.Join(b.TempDir(), "docket.db"), db.Options{Create: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := ingest.AddRoot(b.Context(), d, dir, "notes"); err != nil {
			b.Fatal(err)
		}
		start := cpuTime()
		r, err := ingest.Sync(b.Context(), d, ingest.SyncRequest{Progress: func(p ingest.Progress) {
			if p.Done%500 == 499 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
		}})
		if err != nil {
			b.Fatal(err)
		}
		cpu += cpuTime() - start
		if got := r.Roots[0].Indexed + r.Roots[0].Partly; got != files {
			b.Fatalf("indexed %d of %d files", got, files)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if cpu > 0 {
		b.ReportMetric(float64(size)/1e6*float64(b.N)/cpu.Seconds(), "MB/CPU-s")
		b.ReportMetric(float64(files)*float64(b.N)/cpu.Seconds(), "files/CPU-s")
	}
	b.ReportMetric(float64(peak)/1e6, "heap-MB")
	b.ReportMetric(maxRSS()/1e6, "peak-RSS-MB")
}

// BenchmarkSyncUnchanged syncs a folder in which nothing changed.
func BenchmarkSyncUnchanged(b *testing.B) {
	w := newWorld(b)
	notes(b, w.dir, 2000)
	w.add("notes")
	if _, err := ingest.Sync(b.Context(), w.d, ingest.SyncRequest{}); err != nil {
		b.Fatal(err)
	}
	start, n := cpuTime(), 0
	for b.Loop() {
		n++
		r, err := ingest.Sync(b.Context(), w.d, ingest.SyncRequest{})
		if err != nil || r.Roots[0].Read != 0 {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	b.ReportMetric(float64(cpuTime()-start)/float64(n)/2000/1e3, "CPU-us/file")
}

// notes writes Markdown files with headings, prose, lists, tables and fences over a vocabulary with the usual spread, and returns
// how many bytes they hold.
func notes(tb testing.TB, dir string, files int) (size int) {
	tb.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	vocabulary := make([]string, 20000)
	for i := range vocabulary {
		var w strings.Builder
		for range 2 + r.IntN(3) {
			w.WriteString([]string{"ba", "ten", "co", "rim", "del", "fa", "gor", "hi", "ken", "lo", "mar", "nes", "or", "pli", "qua", "sed", "tu", "ver", "xi", "zo"}[r.IntN(20)])
		}
		vocabulary[i] = w.String()
	}
	zipf := rand.NewZipf(r, 1.15, 3, uint64(len(vocabulary)-1))
	sentence := func(b *strings.Builder) {
		for i := range 6 + r.IntN(14) {
			w := vocabulary[zipf.Uint64()]
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteString(". ")
	}
	for i := range files {
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntitle: Note %d\ntags: [a, b]\n---\n\n# Note %d\n\n", i, i)
		for j := range 1 + r.IntN(5) {
			fmt.Fprintf(&b, "## Part %d\n\n", j)
			for range 1 + r.IntN(4) {
				for range 2 + r.IntN(5) {
					sentence(&b)
				}
				b.WriteString("\n\n")
			}
			switch r.IntN(4) {
			case 0:
				for range 4 {
					b.WriteString("- ")
					sentence(&b)
					b.WriteByte('\n')
				}
			case 1:
				b.WriteString("| key | value |\n|---|---|\n")
				for k := range 5 {
					fmt.Fprintf(&b, "| %s | %d |\n", vocabulary[zipf.Uint64()], k)
				}
			case 2:
				b.WriteString("```go\nfunc f() int {\n\treturn 1\n}\n```\n")
			}
			b.WriteByte('\n')
		}
		p := filepath.Join(dir, fmt.Sprintf("d%03d", i%100), fmt.Sprintf("note-%05d.md", i))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(b.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
		size += b.Len()
	}
	return size
}
