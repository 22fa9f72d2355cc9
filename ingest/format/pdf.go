package format

// This file defines the PDF reader: PDFium, compiled to WebAssembly, and how a document goes through it page by page.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const parserPDF = "pdf/1"

// A PDFReader reads PDF documents. It starts with the first one: PDFium's code has to be compiled, which takes seconds of processor time
// unless the cache has it. It is for one goroutine at a time.
//
// PDFium sees no file system, no network and no clock but its own; each document gets an instance of its own, with Limits.Memory at most.
// It cannot be interrupted inside a page, so whoever needs an end in time runs it in a process that can be killed.
type PDFReader struct {
	cacheDir string // "" for none
	lim      Limits
	pool     pdfium.Pool
	cache    wazero.CompilationCache
	notice   string
}

// NewPDFReader makes a reader that keeps the compiled code in the folder "pdfium" of cacheDir, or nowhere where that is "". What is in
// the folder will be run: it is its owner's alone (0700), and nothing else is kept there.
func NewPDFReader(cacheDir string, lim Limits) *PDFReader {
	if cacheDir != "" {
		cacheDir = filepath.Join(cacheDir, "pdfium")
	}
	return &PDFReader{cacheDir: cacheDir, lim: lim}
}

// Notice says, after Start, what the person should know of the reader itself, or "".
func (r *PDFReader) Notice() string { return r.notice }

// Start compiles PDFium or finds it in the cache. Parse does it where nobody did.
func (r *PDFReader) Start() error {
	if r.pool != nil {
		return nil
	}
	if r.cacheDir != "" {
		err := privateFolder(r.cacheDir)
		if err == nil {
			if err = r.start(r.cacheDir); err == nil {
				return nil
			}
			// The cache may be what is broken. It is ours alone, so it is made anew.
			if os.RemoveAll(r.cacheDir) == nil && privateFolder(r.cacheDir) == nil && r.start(r.cacheDir) == nil {
				return nil
			}
		}
		r.notice = fmt.Sprintf("the PDF reader's compiled code cannot be kept and is made at every start: %v", err)
	}
	return r.start("")
}

func (r *PDFReader) start(cacheDir string) (err error) {
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling). // PDFium's own needs
		WithMemoryLimitPages(uint32(r.lim.Memory >> 16))
	if cacheDir != "" {
		if r.cache, err = wazero.NewCompilationCacheWithDir(cacheDir); err != nil {
			return err
		}
		config = config.WithCompilationCache(r.cache)
	}
	r.pool, err = webassembly.Init(webassembly.Config{
		Context:       withOwnMemory(context.Background(), r.lim.Memory),
		MaxTotal:      1,
		FSConfig:      wazero.NewFSConfig(), // the default would show it the whole disk
		RuntimeConfig: config,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		r.pool = nil
		r.closeCache()
	}
	return err
}

func (r *PDFReader) closeCache() {
	if r.cache != nil {
		_ = r.cache.Close(context.Background()) // what it holds is already on disk
		r.cache = nil
	}
}

// Close gives back what Start took.
func (r *PDFReader) Close() error {
	if r.pool == nil {
		return nil
	}
	err := r.pool.Close()
	r.pool = nil
	r.closeCache()
	return err
}

// privateFolder makes a folder that only its owner can use and tries to write in it.
func privateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return err
		}
	}
	probe := filepath.Join(dir, ".probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return err
	}
	return os.Remove(probe)
}

// Parse reads one document. Text comes page by page, columns in turn, paragraphs whole with words that were divided at a line's end
// joined; form fields and notes on the page count as its text. Headings are those of the outline where it fits the text, and else
// lines that are larger or bolder than the rest. Pages without text are listed in NoText, pages whose letters cannot be trusted
// in Notes. A document that opens with an empty password is read; one that needs a real one gives ErrEncrypted.
func (r *PDFReader) Parse(ctx context.Context, data []byte) (doc *Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("the PDF reader broke down: %v", p)
		}
	}()
	if err := r.Start(); err != nil {
		return nil, fmt.Errorf("starting the PDF reader: %w", err)
	}
	d := &pdfDocument{reader: r, data: data, b: newBuilder("pdf", parserPDF, r.lim)}
	defer d.close()
	if err := d.open(); err != nil {
		return nil, err
	}
	if err := d.read(ctx); err != nil {
		return nil, err
	}
	return d.b.finish(), nil
}

// pdfReason shortens the errors of go-pdfium ("3: incorrect format") and of wazero, which has a stack below its first line.
func pdfReason(err error) string {
	if isTrap(err) {
		return "it broke the PDF reader, mostly for want of memory"
	}
	s, _, _ := strings.Cut(err.Error(), "\n")
	if _, rest, ok := strings.Cut(s, ": "); ok && len(s) > 0 && s[0] >= '0' && s[0] <= '9' {
		s = rest
	}
	return s
}

// pdfDocument is one document on its way through.
type pdfDocument struct {
	reader *PDFReader
	data   []byte
	pdf    pdfium.Pdfium // nil where no instance is open
	doc    references.FPDF_DOCUMENT
	b      *builder
	pages  []pdfPage
}

// open opens the document in an instance of its own. The file stays where it is: PDFium asks for the parts it needs.
func (d *pdfDocument) open() error {
	pdf, err := d.reader.pool.GetInstance(30 * time.Second)
	if err != nil {
		return fmt.Errorf("starting the PDF reader: %w", err)
	}
	d.pdf = pdf
	empty := ""
	opened, err := pdf.OpenDocument(&requests.OpenDocument{FileReader: bytes.NewReader(d.data), FileReaderSize: int64(len(d.data)), Password: &empty})
	switch {
	case errors.Is(err, pdferrors.ErrPassword):
		return ErrEncrypted
	case errors.Is(err, pdferrors.ErrSecurity):
		return errors.New("encrypted in a way that the PDF reader does not know")
	case err != nil:
		return fmt.Errorf("damaged PDF, or none: %s", pdfReason(err))
	}
	d.doc = opened.Document
	return nil
}

func (d *pdfDocument) close() {
	if d.pdf != nil {
		_ = d.pdf.Close() // after a trap it has nothing left to close
		d.pdf = nil
	}
}

// maxTraps is how many pages may break the reader before the rest is left unread.
const maxTraps = 5

func (d *pdfDocument) read(ctx context.Context) error {
	count, err := d.pdf.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.doc})
	if err != nil {
		return fmt.Errorf("damaged PDF: %s", pdfReason(err))
	}
	if count.PageCount == 0 {
		return errors.New("damaged PDF: it has no pages")
	}
	d.b.doc.Pages = count.PageCount
	size, traps := 0, 0
	for n := range count.PageCount {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := d.page(n)
		if err != nil {
			d.b.note("page %d could not be read: %s", n+1, pdfReason(err))
			p = pdfPage{blank: true} // its note says what it is
		}
		d.pages = append(d.pages, p)
		if isTrap(err) && n+1 < count.PageCount { // an instance that broke down is not asked again
			d.close()
			if traps++; traps > maxTraps {
				d.b.note("the pages after %d were not read: too many broke the PDF reader", n+1)
				break
			}
			if err := d.open(); err != nil {
				return err
			}
		}
		if size += p.size; size > d.b.max {
			d.b.note("the text was cut after page %d: there is more than %d MB of it", n+1, d.b.max>>20)
			break
		}
	}
	d.layOut()
	return nil
}

// isTrap reports an error of the WebAssembly machine itself.
func isTrap(err error) bool { return err != nil && strings.Contains(err.Error(), "wasm error") }

// title takes the file's own title, unless it is only what a program left there.
func (d *pdfDocument) title() string {
	if d.pdf == nil {
		return ""
	}
	meta, err := d.pdf.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.doc, Tag: "Title"})
	if err != nil {
		return ""
	}
	t := string(richText(cleanText(meta.Value)).flat().text)
	low := strings.ToLower(t)
	junk := slices.ContainsFunc([]string{".doc", ".docx", ".pdf", ".dvi", ".tex", ".indd", ".qxd", ".ps"}, func(s string) bool { return strings.HasSuffix(low, s) })
	if junk || strings.HasPrefix(low, "microsoft ") || strings.HasPrefix(low, "untitled") || !richText(t).hasLetter() {
		return ""
	}
	return t
}

// A bookmark is one entry of the outline.
type bookmark struct {
	title string
	level int // from 1
	page  int // from 0, -1 where it leads nowhere
}

const maxBookmarks = 5_000

// outline reads the document's outline in order. An outline that runs in a circle ends at the limit.
func (d *pdfDocument) outline() []bookmark {
	if d.pdf == nil {
		return nil
	}
	var out []bookmark
	var visit func(parent *references.FPDF_BOOKMARK, level int)
	visit = func(parent *references.FPDF_BOOKMARK, level int) {
		if level > 12 {
			return
		}
		first, err := d.pdf.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: d.doc, Bookmark: parent})
		if err != nil {
			return
		}
		for at := first.Bookmark; at != nil && len(out) < maxBookmarks; {
			b := bookmark{level: level, page: -1}
			if t, err := d.pdf.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *at}); err == nil {
				b.title = t.Title
			}
			if dest, err := d.pdf.FPDFBookmark_GetDest(&requests.FPDFBookmark_GetDest{Document: d.doc, Bookmark: *at}); err == nil && dest.Dest != nil {
				if p, err := d.pdf.FPDFDest_GetDestPageIndex(&requests.FPDFDest_GetDestPageIndex{Document: d.doc, Dest: *dest.Dest}); err == nil {
					b.page = p.Index
				}
			}
			out = append(out, b)
			visit(at, level+1)
			next, err := d.pdf.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: d.doc, Bookmark: *at})
			if err != nil {
				return
			}
			at = next.Bookmark
		}
	}
	visit(nil, 1)
	return out
}
