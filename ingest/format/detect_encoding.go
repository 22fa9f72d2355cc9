package format

// This file defines the guess at an encoding, for bytes that no byte-order mark, UTF-8 or UTF-16 rule explains.

import (
	"bytes"
	"strings"
	"unicode/utf8"

	gogs "github.com/gogs/chardet"
	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// guessWindow is how much of a file is shown to the detectors; they read about 5 MB a second.
const guessWindow = 64 << 10

// guessEncoding decodes bytes of unknown encoding by the two detectors that together were right most often, and names the encoding.
// It never fails: where they know nothing, or what they say does not fit the bytes, it is windows-1252, in which any byte is a
// character. The result is always a guess.
func guessEncoding(data []byte) (text, name string) {
	if enc, name := detect(window(data)); enc != nil {
		if text, ok := decodeAs(enc, data); ok {
			return text, name
		}
	}
	text, _ = decodeAs(charmap.Windows1252, data)
	return text, "windows-1252"
}

// decodeAs decodes all of data. It reports false where more than one character in a hundred was not valid in that encoding.
func decodeAs(enc encoding.Encoding, data []byte) (string, bool) {
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	}
	bad := bytes.Count(out, []byte("\uFFFD"))
	return string(out), err == nil && bad*100 <= utf8.RuneCount(out)
}

// window picks what the detectors see: the file's start, or, where that is plain ASCII, the lines around its first other byte.
// It ends after an ASCII byte, so that no character is cut.
func window(data []byte) []byte {
	first := bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
	if first >= guessWindow {
		data = data[bytes.LastIndexByte(data[:first], '\n')+1:]
		if first = bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf }); first >= guessWindow {
			data = data[first:]
		}
	}
	if len(data) <= guessWindow {
		return data
	}
	data = data[:guessWindow]
	for end := len(data); end > guessWindow/2; end-- {
		if data[end-1] < 0x40 { // below every trail byte of the multi-byte encodings
			return data[:end]
		}
	}
	return data
}

func detect(sample []byte) (enc encoding.Encoding, name string) {
	defer func() {
		if recover() != nil { // a detector's fault must not cost the file its text
			enc, name = nil, ""
		}
	}()
	if escapesToJIS(sample) {
		return lookup("iso-2022-jp")
	}
	label := chardet.Detect(sample).Encoding
	switch label {
	case "", "Ascii", "ISO-8859-1", "Windows-1252", "Windows-1254":
		// The first detector falls back to these; the second is the better one on what hides behind them.
		if r, err := gogs.NewTextDetector().DetectBest(sample); err == nil {
			switch r.Charset {
			case "ISO-8859-2", "ISO-8859-9", "windows-1250", "windows-1254", "GB-18030", "Big5", "Shift_JIS", "EUC-JP", "EUC-KR":
				label = r.Charset
			}
		}
	}
	return lookup(label)
}

// escapesToJIS reports the escape that switches ISO-2022-JP to two-byte characters. A terminal's escapes all begin with other bytes.
func escapesToJIS(data []byte) bool {
	return bytes.Contains(data, []byte("\x1b$B")) || bytes.Contains(data, []byte("\x1b$@"))
}

// lookup finds the decoder for a detector's label, and the name that the web gives the encoding.
func lookup(label string) (encoding.Encoding, string) {
	label = strings.ToLower(label)
	switch label {
	case "cp932":
		label = "shift_jis"
	case "cp949":
		label = "euc-kr"
	case "gb2312", "gb-18030":
		label = "gb18030"
	case "maccyrillic":
		label = "x-mac-cyrillic"
	case "macroman":
		label = "macintosh"
	case "tis-620":
		label = "windows-874"
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	name, err := htmlindex.Name(enc)
	if err != nil || name == "replacement" || name == "utf-8" || strings.HasPrefix(name, "utf-16") {
		return nil, "" // the rules before this one are the better judges of these
	}
	return enc, name
}
