package format

// This file defines Detect, which names the kind of a file by its bytes first and its name second.

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// The kinds that Parse reads in this process.
const (
	kindMarkdown = "markdown"
	kindText     = "text"
	kindCSV      = "csv"
	kindTSV      = "tsv"
	kindCode     = "code"
	kindBinary   = "binary" // no text, and no format known by name
)

// Detect names the kind of a file: one that [Parse] reads (markdown, text, csv, tsv, code), one that it knows by name only (pdf, docx,
// png, …), or "binary". The bytes win over the name: a Word document that is called notes.txt is a docx, and a note that
// is called scan.pdf is text.
func Detect(name string, data []byte) string {
	if kind := magicKind(data); kind != "" {
		return kind
	}
	if isBinary(data) {
		return kindBinary
	}
	kind := kindByName(name)
	if kind == kindText && startsWithTag(data) {
		return "html"
	}
	if kind == kindText && bytes.HasPrefix(data, []byte("#!")) {
		return kindCode
	}
	return kind
}

// magic lists how files that are not plain text begin. The offset is nearly always 0.
var magic = []struct {
	offset int
	bytes  string
	kind   string
}{
	{0, "%PDF-", "pdf"},
	{0, "{\\rtf", "rtf"},
	{0, "%!PS", "postscript"},
	{0, "\x89PNG\r\n\x1a\n", "png"},
	{0, "\xff\xd8\xff", "jpeg"},
	{0, "GIF87a", "gif"},
	{0, "GIF89a", "gif"},
	{8, "WEBP", "webp"},
	{8, "WAVE", "wav"},
	{4, "ftyp", "mp4"},
	{0, "II*\x00", "tiff"},
	{0, "MM\x00*", "tiff"},
	{0, "ID3", "mp3"},
	{0, "OggS", "ogg"},
	{0, "fLaC", "flac"},
	{0, "\x1a\x45\xdf\xa3", "matroska"},
	{0, "\x1f\x8b", "gzip"},
	{0, "BZh", "bzip2"},
	{0, "\xfd7zXZ\x00", "xz"},
	{0, "\x28\xb5\x2f\xfd", "zstd"},
	{0, "7z\xbc\xaf\x27\x1c", "7z"},
	{0, "Rar!\x1a\x07", "rar"},
	{257, "ustar", "tar"},
	{0, "\x7fELF", "elf"},
	{0, "\xca\xfe\xba\xbe", "class"},
	{0, "\xcf\xfa\xed\xfe", "macho"},
	{0, "\x00asm", "wasm"},
	{0, "SQLite format 3\x00", "sqlite"},
	{0, "wOFF", "font"},
	{0, "wOF2", "font"},
}

func magicKind(data []byte) string {
	for _, m := range magic {
		if len(data) < m.offset+len(m.bytes) || string(data[m.offset:m.offset+len(m.bytes)]) != m.bytes {
			continue
		}
		switch m.kind {
		case "mp4", "webp", "wav", "gzip", "bzip2", "mp3", "tar": // short marks: text may begin so by chance
			if !isBinary(data) {
				continue
			}
		}
		return m.kind
	}
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return zipKind(data)
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return "ole" // .doc, .xls, .ppt, .msg, and Office files behind a password
	case bytes.HasPrefix(data, []byte("MZ")) && isBinary(data):
		return "exe"
	}
	// A PDF may have rubbish before its mark, which then starts a line.
	head := data[:min(len(data), 1024)]
	if i := bytes.Index(head, []byte("%PDF-")); i > 0 && (head[i-1] == '\n' || head[i-1] == '\r' || !utf8.Valid(head[:i])) && bytes.Contains(data, []byte("%%EOF")) {
		return "pdf"
	}
	return ""
}

// zipKind tells the formats that are zip files by a name every one of them holds.
func zipKind(data []byte) string {
	for _, z := range []struct{ holds, kind string }{
		{"word/document", "docx"},
		{"ppt/presentation", "pptx"},
		{"xl/workbook", "xlsx"},
		{"application/epub+zip", "epub"},
		{"application/vnd.oasis.opendocument.text", "odt"},
		{"application/vnd.oasis.opendocument.spreadsheet", "ods"},
		{"application/vnd.oasis.opendocument.presentation", "odp"},
	} {
		if bytes.Contains(data, []byte(z.holds)) {
			return z.kind
		}
	}
	return "zip"
}

// isBinary reports bytes that no encoding makes text of. Text has next to no control characters; a stray NUL, as a source file may
// hold in a string, does not make it binary.
func isBinary(data []byte) bool {
	if _, n := byteOrderMark(data); n > 0 || utf16ByShare(data) != "" {
		return false
	}
	controls := 0
	for _, c := range data {
		if control[c] {
			controls++
		}
	}
	if controls == 0 {
		return false
	}
	if utf8.Valid(data) {
		return controls > 2+len(data)/20
	}
	return controls > 2+len(data)/200
}

// control marks the bytes that no text holds, in any encoding. Tab, line ends, form feed, backspace and escape are not among them.
var control = func() (t [256]bool) {
	for c := range 32 {
		t[c] = !strings.ContainsRune("\t\n\v\f\r\b\x1b\x1a", rune(c))
	}
	t[0x7f] = true
	return t
}()

func startsWithTag(data []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(data[:min(len(data), 512)], []byte("\xef\xbb\xbf"))))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// kindByName names the kind of a text file. A name that says nothing is plain text.
func kindByName(name string) string {
	base := strings.ToLower(path.Base(name))
	if kind, ok := kindByBase[base]; ok {
		return kind
	}
	if kind, ok := kindBySuffix[path.Ext(base)]; ok {
		return kind
	}
	return kindText
}

var kindByBase = kindTable(map[string]string{
	kindMarkdown: "readme changelog contributing claude.local.md",
	kindCode: `makefile gnumakefile dockerfile containerfile jenkinsfile vagrantfile rakefile gemfile procfile justfile brewfile
		cmakelists.txt go.mod go.sum go.work .gitignore .dockerignore .docketignore .gitattributes .editorconfig .bashrc .bash_profile .profile .zshrc .vimrc .gitconfig`,
})

var kindBySuffix = kindTable(map[string]string{
	kindMarkdown: ".md .markdown .mdown .mkd .mdx .mdc .rmd .qmd",
	kindText:     ".txt .text .log",
	kindCSV:      ".csv",
	kindTSV:      ".tsv .tab",
	"html":       ".html .htm .xhtml",
	kindCode: `.go .py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .java .kt .kts .scala .groovy .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .fs
		.rs .rb .php .pl .pm .lua .r .jl .swift .dart .ex .exs .erl .hs .ml .mli .clj .cljs .lisp .el .vim .nim .zig .v .sv .vhd
		.sh .bash .zsh .fish .ps1 .psm1 .bat .cmd .sql .yaml .yml .toml .json .jsonl .ndjson .json5 .ipynb .xml .xsd .xsl .svg .plist .ini .cfg .conf
		.properties .env .tf .hcl .nix .proto .thrift .graphql .gradle .cmake .mk .make .dockerfile .css .scss .sass .less .vue .svelte .asm .s .diff .patch`,
})

func kindTable(byKind map[string]string) map[string]string {
	t := map[string]string{}
	for kind, names := range byKind {
		for _, n := range strings.Fields(names) {
			t[n] = kind
		}
	}
	return t
}
