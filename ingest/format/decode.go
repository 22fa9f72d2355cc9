package format

// This file defines how bytes become text: by byte-order mark, as UTF-8, as UTF-16 without a mark, and else by a guess.

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// A decoding is the text of some bytes and how it was read. The text is valid UTF-8 whatever the bytes were.
type decoding struct {
	text     string
	encoding string
	guessed  bool
	replaced int // how many places were not valid in the encoding and became U+FFFD
}

// note tells of text that could not be read, or is "".
func (d decoding) note() string {
	if d.replaced == 0 {
		return ""
	}
	return fmt.Sprintf("%d places are not valid %s and were replaced", d.replaced, d.encoding)
}

// decode never fails. NUL and line ends stay as they are; a byte-order mark is dropped.
func decode(data []byte) decoding {
	encoding, n := byteOrderMark(data)
	data = data[n:]
	if n == 0 {
		encoding = utf16ByShare(data)
	}
	switch {
	case encoding == "utf-16le":
		return decodeUTF16(data, binary.LittleEndian, encoding, n == 0)
	case encoding == "utf-16be":
		return decodeUTF16(data, binary.BigEndian, encoding, n == 0)
	case encoding == "utf-32le":
		return decodeUTF32(data, binary.LittleEndian, encoding)
	case encoding == "utf-32be":
		return decodeUTF32(data, binary.BigEndian, encoding)
	case escapesToJIS(data): // valid UTF-8 too, as all its bytes are ASCII
		text, encoding := guessEncoding(data)
		return decoding{text: text, encoding: encoding, guessed: true}
	case utf8.Valid(data):
		return decoding{text: string(data), encoding: "utf-8"}
	}
	if multi, bad := utf8Share(data); encoding == "utf-8" || bad*20 <= multi {
		// UTF-8 with a few broken places, as a log that was cut: any other reading would garble all the rest.
		return decoding{text: strings.ToValidUTF8(string(data), "\uFFFD"), encoding: "utf-8", guessed: true, replaced: bad}
	}
	text, encoding := guessEncoding(data)
	if western, ok := decodeAs(charmap.Windows1252, data); ok && western == text {
		encoding = "windows-1252" // of encodings that give the same text, the one it most likely is
	}
	return decoding{text: text, encoding: encoding, guessed: true}
}

// byteOrderMark names the encoding that a byte-order mark declares, and the mark's length.
func byteOrderMark(data []byte) (encoding string, length int) {
	has := func(mark string) bool { return len(data) >= len(mark) && string(data[:len(mark)]) == mark }
	switch {
	case has("\xef\xbb\xbf"):
		return "utf-8", 3
	case has("\xff\xfe\x00\x00") && len(data)%4 == 0 && validUTF32(data, binary.LittleEndian):
		return "utf-32le", 4
	case has("\x00\x00\xfe\xff") && len(data)%4 == 0 && validUTF32(data, binary.BigEndian):
		return "utf-32be", 4
	case has("\xff\xfe"):
		return "utf-16le", 2
	case has("\xfe\xff"):
		return "utf-16be", 2
	}
	return "", 0
}

// utf16ByShare names the UTF-16 that data is without saying so, or gives "". Text of mostly Latin letters, digits, spaces and line ends
// has a NUL in every second byte and nearly none in the others, which no other text has. Files of 3 bytes or fewer tell nothing.
func utf16ByShare(data []byte) string {
	if len(data) < 4 {
		return ""
	}
	sample := data[:min(len(data), 64<<10)]
	var even, odd int
	for i := 0; i+1 < len(sample); i += 2 {
		if sample[i] == 0 {
			even++
		}
		if sample[i+1] == 0 {
			odd++
		}
	}
	units := len(sample) / 2
	few := func(n int) bool { return n*50 <= units }
	switch {
	case odd*10 >= units*3 && few(even) && plausibleUTF16(sample, binary.LittleEndian):
		return "utf-16le"
	case even*10 >= units*3 && few(odd) && plausibleUTF16(sample, binary.BigEndian):
		return "utf-16be"
	}
	return ""
}

// plausibleUTF16 keeps tables of small integers and the like from being read as text.
func plausibleUTF16(sample []byte, order binary.ByteOrder) bool {
	controls := 0
	for i := 0; i+1 < len(sample); i += 2 {
		if u := order.Uint16(sample[i:]); u < 256 && control[u] {
			controls++
		}
	}
	return controls*40 <= len(sample)/2
}

func decodeUTF16(data []byte, order binary.ByteOrder, encoding string, guessed bool) decoding {
	d := decoding{encoding: encoding, guessed: guessed}
	var b strings.Builder
	b.Grow(len(data)/2 + len(data)/8)
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			low := utf8.RuneError
			if i+3 < len(data) {
				low = utf16.DecodeRune(r, rune(order.Uint16(data[i+2:])))
			}
			if r = low; r == utf8.RuneError {
				d.replaced++
			} else {
				i += 2
			}
		}
		b.WriteRune(r)
	}
	if len(data)%2 != 0 {
		b.WriteRune(utf8.RuneError)
		d.replaced++
	}
	d.text = b.String()
	return d
}

func validUTF32(data []byte, order binary.ByteOrder) bool {
	for i := 4; i+3 < len(data); i += 4 {
		if !utf8.ValidRune(rune(order.Uint32(data[i:]))) {
			return false
		}
	}
	return true
}

func decodeUTF32(data []byte, order binary.ByteOrder, encoding string) decoding {
	runes := make([]rune, 0, len(data)/4)
	for i := 0; i+3 < len(data); i += 4 {
		runes = append(runes, rune(order.Uint32(data[i:])))
	}
	return decoding{text: string(slices.Clip(runes)), encoding: encoding}
}

// utf8Share counts the characters of more than one byte that are valid UTF-8, and the runs of bytes that are not.
func utf8Share(data []byte) (multi, bad int) {
	inBad := false
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i, inBad = i+1, false
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r != utf8.RuneError || n > 1:
			multi++
			inBad = false
		case !inBad:
			bad++
			inBad = true
		}
		i += n
	}
	return multi, bad
}
