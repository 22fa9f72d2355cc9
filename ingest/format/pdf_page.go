package format

// This file defines how a page becomes segments: runs of characters on one line that belong together beyond doubt.

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
	"golang.org/x/text/unicode/norm"
)

// A segment is a run of text on one line. Its box is in the direction of reading: x grows along the line, y against the order of lines.
type segment struct {
	text   string
	x0, x1 float64
	y0, y1 float64
	size   float64 // of its letters
	bold   bool
	order  int // in the page's own order
	turned int // degrees; segments of one page are laid out by direction
	hyphen bool
}

// pdfPage is what was read of one page.
type pdfPage struct {
	segments []segment
	size     int  // bytes of text
	chars    int  // characters seen,
	bad      int  // and those of them that stand for no letter
	textless bool // no text, or next to none beside the picture of some,
	blank    bool // and nothing that might be such a picture
}

// untrusted reports a page whose fonts do not say which letters their shapes are.
func (p *pdfPage) untrusted() bool { return p.chars >= 20 && p.bad*10 > p.chars*3 }

// pdfChar is one character with its box turned to the direction of reading.
type pdfChar struct {
	r              rune
	x0, x1, y0, y1 float64
	turned         int
	boxless        bool // made up by PDFium, as the spaces between words mostly are
	index          int
}

func (d *pdfDocument) page(n int) (p pdfPage, err error) {
	load := func() (references.FPDF_PAGE, error) {
		l, err := d.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.doc, Index: n})
		if err != nil {
			return "", err
		}
		return l.Page, nil
	}
	ref, err := load()
	if err != nil {
		return p, err
	}
	at := requests.Page{ByReference: &ref}
	if notes, err := d.pdf.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: at}); err == nil && notes.Count > 0 {
		// What forms and notes show becomes part of the page, which must be loaded again to see it.
		if _, err := d.pdf.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: at, Usage: requests.FPDFPage_FlattenUsageNormalDisplay}); err == nil {
			_, _ = d.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: ref})
			if ref, err = load(); err != nil {
				return p, err
			}
			at = requests.Page{ByReference: &ref}
		}
	}
	defer func() { _, _ = d.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: ref}) }()
	chars, err := d.chars(at)
	if err != nil {
		return p, err
	}
	if slices.ContainsFunc(chars, func(c pdfChar) bool { return c.shapeless() }) && d.widen(at) {
		if chars, err = d.chars(at); err != nil {
			return p, err
		}
	}
	p.count(chars)
	if p.chars < fewChars {
		var picture bool
		p.blank, picture = d.objects(at)
		p.textless = p.chars == 0 || picture
		if p.chars == 0 {
			return p, nil
		}
	}
	chars = dropDoubles(placeMarks(chars))
	turnVertical(chars)
	for i := range chars {
		chars[i].turn()
	}
	p.segments = cut(chars)
	d.measure(at, p.segments)
	for i := range p.segments {
		s := &p.segments[i]
		s.text, s.hyphen = cleanSegment(s.text)
		p.size += len(s.text) + 1
	}
	p.segments = slices.DeleteFunc(p.segments, func(s segment) bool { return strings.TrimSpace(s.text) == "" && !s.hyphen })
	return p, nil
}

// fewChars is the most that a scanned page may hold as text, a stamp or a page number, and still count as one without.
const fewChars = 60

// chars reads the page's characters in the page's own order.
func (d *pdfDocument) chars(at requests.Page) ([]pdfChar, error) {
	text, err := d.pdf.GetPageTextStructured(&requests.GetPageTextStructured{Page: at, Mode: requests.GetPageTextStructuredModeChars})
	if err != nil {
		return nil, err
	}
	chars := make([]pdfChar, 0, len(text.Chars))
	for i, c := range text.Chars {
		r, _ := utf8.DecodeRuneInString(c.Text)
		if c.Text == "" {
			r = utf8.RuneError
		}
		b := c.PointPosition
		ch := pdfChar{r: r, x0: min(b.Left, b.Right), x1: max(b.Left, b.Right), y0: min(b.Bottom, b.Top), y1: max(b.Bottom, b.Top), index: i}
		ch.boxless = ch.x1-ch.x0 < 1e-3 && ch.y1-ch.y0 < 1e-3 || r == '\r' || r == '\n'
		ch.turned = quarter(c.Angle)
		chars = append(chars, ch)
	}
	return chars, nil
}

// shapeless reports a character whose font is not in the file: PDFium knows its advance and no more.
func (c *pdfChar) shapeless() bool { return isEastAsian(c.r) && (c.y1-c.y0 < .1) != (c.x1-c.x0 < .1) }

// widen slants the text objects that have no width by a hair. PDFium leaves out of a page's text what has none, and a line of
// vertical writing in a font that is not in the file has none. It reports whether there were any.
func (d *pdfDocument) widen(at requests.Page) (found bool) {
	d.eachObject(at, func(o references.FPDF_PAGEOBJECT, t enums.FPDF_PAGEOBJ) bool {
		if t == enums.FPDF_PAGEOBJ_TEXT {
			b, err := d.pdf.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o})
			if err == nil && b.Right-b.Left < .01 { // PDFium's own bound
				_, err = d.pdf.FPDFPageObj_Transform(&requests.FPDFPageObj_Transform{PageObject: o, Transform: structs.FPDF_FS_MATRIX{A: 1, C: 2e-3, D: 1}})
				found = found || err == nil
			}
		}
		return true
	})
	return found
}

// eachObject calls f for what is drawn on the page, until f has seen enough or an object cannot be had.
func (d *pdfDocument) eachObject(at requests.Page, f func(references.FPDF_PAGEOBJECT, enums.FPDF_PAGEOBJ) bool) {
	const most = 20_000
	n, err := d.pdf.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: at})
	if err != nil {
		return
	}
	for i := range min(n.Count, most) {
		o, err := d.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: at, Index: i})
		if err != nil {
			return
		}
		t, err := d.pdf.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o.PageObject})
		if err != nil || !f(o.PageObject, t.Type) {
			return
		}
	}
}

// objects looks at what is drawn on a page of little text: whether it is blank, with no picture and too few lines to draw letters
// with, and whether a picture covers half of it, as a scan does.
func (d *pdfDocument) objects(at requests.Page) (blank, picture bool) {
	const outlines = 20
	area := 0.0
	if w, err := d.pdf.FPDF_GetPageWidthF(&requests.FPDF_GetPageWidthF{Page: at}); err == nil {
		if h, err := d.pdf.FPDF_GetPageHeightF(&requests.FPDF_GetPageHeightF{Page: at}); err == nil {
			area = float64(w.PageWidth) * float64(h.PageHeight)
		}
	}
	paths := 0
	blank = true
	d.eachObject(at, func(o references.FPDF_PAGEOBJECT, t enums.FPDF_PAGEOBJ) bool {
		switch t {
		case enums.FPDF_PAGEOBJ_TEXT:
		case enums.FPDF_PAGEOBJ_PATH:
			paths++
			blank = blank && paths <= outlines
		default:
			blank = false
			if b, err := d.pdf.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o}); err == nil && t != enums.FPDF_PAGEOBJ_SHADING {
				picture = picture || float64(b.Right-b.Left)*float64(b.Top-b.Bottom) >= area/2
			}
		}
		return !picture
	})
	return blank, picture
}

// quarter gives an angle in degrees against the clock. It rounds to whole quarters of a turn where it is near one,
// and to ten degrees else.
func quarter(radians float64) int {
	deg := int(math.Round(-radians*180/math.Pi)) % 360 // PDFium counts clockwise
	if deg < 0 {
		deg += 360
	}
	if q := (deg + 45) / 90 * 90; abs(q-deg) <= 5 {
		return q % 360
	}
	return (deg + 5) / 10 * 10 % 360
}

func abs(n int) int { return max(n, -n) }

// count tells the characters that stand for a letter from those that only stand for a shape.
func (p *pdfPage) count(chars []pdfChar) {
	for _, c := range chars {
		switch {
		case unicode.IsSpace(c.r), isHyphenMark(c.r):
		case c.r == utf8.RuneError, c.r < ' ', unicode.Is(unicode.Co, c.r):
			p.bad++
			p.chars++
		default:
			p.chars++
		}
	}
}

// isHyphenMark reports what PDFium puts for a hyphen at which a word is divided.
func isHyphenMark(r rune) bool { return r == 0x02 || r == 0xFFFE || r == 0xAD }

// dropDoubles drops a letter that was drawn over itself to look bold or to throw a shadow.
func dropDoubles(chars []pdfChar) []pdfChar {
	type place struct {
		r    rune
		x, y int
	}
	const cell = 4.0 // points
	seen := map[place][]int{}
	out := chars[:0]
	for _, c := range chars {
		if c.boxless || unicode.IsSpace(c.r) {
			out = append(out, c)
			continue
		}
		w, h := max(c.x1-c.x0, .5), max(c.y1-c.y0, .5)
		at := place{c.r, int(math.Floor(c.x0 / cell)), int(math.Floor(c.y0 / cell))}
		double := false
		for dx := -1; dx <= 1 && !double; dx++ {
			for dy := -1; dy <= 1 && !double; dy++ {
				for _, i := range seen[place{c.r, at.x + dx, at.y + dy}] {
					o := out[i]
					if c.r == 'f' && o.index == c.index-1 && o.x0 == c.x0 && o.x1 == c.x1 {
						continue // the letters of one ligature, ff or ffi
					}
					// A quarter of a narrow letter's width would be less than the shift that makes letters bold.
					if math.Abs(o.x0-c.x0) < max(w/4, min(h/15, w*.7)) && math.Abs(o.y0-c.y0) < h/4 && math.Abs((o.x1-o.x0)-w) < w/4 {
						double = true
						break
					}
				}
			}
		}
		if double {
			continue
		}
		seen[at] = append(seen[at], len(out))
		out = append(out, c)
	}
	return out
}

// turnVertical finds writing whose characters stand below each other, as Japanese may, and has it read as lines that run down.
func turnVertical(chars []pdfChar) {
	down, along := 0, 0
	var last *pdfChar
	for i := range chars {
		c := &chars[i]
		if c.boxless || unicode.IsSpace(c.r) || c.turned != 0 || !isEastAsian(c.r) {
			continue
		}
		if last != nil {
			h := max(c.y1-c.y0, c.x1-c.x0)
			dx, dy := (c.x0+c.x1-last.x0-last.x1)/2, (last.y0+last.y1-c.y0-c.y1)/2
			switch {
			case math.Abs(dx) < h*.6 && dy > h*.4 && dy < h*2.5:
				down++
			case math.Abs(dy) < h*.6 && dx > h*.4 && dx < h*2.5:
				along++
			}
		}
		last = c
	}
	if down < 8 || down < 2*along {
		return
	}
	for i := range chars {
		if chars[i].turned == 0 {
			chars[i].turned = verticalWriting
		}
	}
}

// verticalWriting marks upright characters in lines that run down the page, the first line at the right.
const verticalWriting = -1

func isEastAsian(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60
}

// turn rotates a character's box so that its line runs along x and lines follow each other down y.
func (c *pdfChar) turn() {
	if c.turned == 0 {
		return
	}
	angle := float64(c.turned) * math.Pi / 180
	if c.turned == verticalWriting {
		angle = -math.Pi / 2
	}
	sin, cos := math.Sin(angle), math.Cos(angle)
	cx, cy := (c.x0+c.x1)/2, (c.y0+c.y1)/2
	w, h := c.x1-c.x0, c.y1-c.y0
	if c.turned == verticalWriting || c.turned%180 == 90 {
		w, h = h, w
	}
	x, y := cx*cos+cy*sin, cy*cos-cx*sin
	c.x0, c.x1, c.y0, c.y1 = x-w/2, x+w/2, y-h/2, y+h/2
}

// wordGap is the part of a letter's height that parts words where PDFium, which knows the fonts, saw no space.
const wordGap = .6

// cut makes segments of the characters, in the page's own order: a new one at each line end that PDFium saw, each step to another
// line, and each gap too wide for a space.
func cut(chars []pdfChar) []segment {
	var out []segment
	var text strings.Builder
	var cur segment
	last := -1 // the last character with a box
	open, spaced := false, false
	flush := func() {
		if open {
			cur.text = text.String()
			out = append(out, cur)
		}
		text.Reset()
		open = false
	}
	for i, c := range chars {
		if c.r == '\r' || c.r == '\n' {
			flush()
			continue
		}
		if c.boxless || unicode.IsSpace(c.r) {
			if open {
				text.WriteRune(c.r)
				spaced = true
			}
			continue
		}
		if open {
			o := chars[last]
			h := max(min(c.y1-c.y0, o.y1-o.y0), 1)
			tall := max(c.y1-c.y0, o.y1-o.y0, cur.y1-cur.y0)
			overlap := min(c.y1, max(o.y1, cur.y1)) - max(c.y0, min(o.y0, cur.y0))
			gap := max(c.x0-o.x1, o.x0-c.x1) // in either direction: Arabic runs leftwards
			back := c.x0 < cur.x0-tall && c.x1 < o.x0 && !isRTL(c.r) && !isRTL(o.r)
			if c.turned != o.turned || overlap < h*.25 && tall > h*.2 || gap > tall*1.1 || back {
				flush()
			} else if !spaced && gap > wordGap*tall {
				text.WriteByte(' ')
			}
		}
		spaced = false
		if !open {
			cur = segment{x0: c.x0, x1: c.x1, y0: c.y0, y1: c.y1, order: c.index, turned: c.turned}
			open = true
		}
		cur.x0, cur.x1, cur.y0, cur.y1 = min(cur.x0, c.x0), max(cur.x1, c.x1), min(cur.y0, c.y0), max(cur.y1, c.y1)
		text.WriteRune(c.r)
		last = i
	}
	flush()
	return out
}

func isRTL(r rune) bool {
	return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFF
}

// placeMarks puts right what PDFium, which turns lines of Arabic and Hebrew round character by character, leaves wrong: a mark before the
// letter it stands on, with a space between where the mark's narrow box left a gap, and the two letters of a lam-alef, which
// are one glyph, the wrong way round. The letters of one glyph share a box.
func placeMarks(chars []pdfChar) []pdfChar {
	out := chars[:0]
	for i := 0; i < len(chars); i++ {
		a := chars[i]
		if i+1 < len(chars) && isRTL(chars[i+1].r) {
			b := chars[i+1]
			switch {
			case unicode.Is(unicode.Mn, a.r) && isRTL(a.r) && under(b, a) && !(i > 0 && under(chars[i-1], a)):
				if n := len(out); n > 0 && out[n-1].r == ' ' && out[n-1].x1-out[n-1].x0 < 1e-3 {
					out = out[:n-1]
				}
				out = append(out, b, a)
				i++
				continue
			case b.r == lam && strings.ContainsRune(alefs, a.r) && a.x0 == b.x0 && a.x1 == b.x1 && a.y0 == b.y0:
				out = append(out, b, a)
				i++
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

// under reports a letter that a mark may stand on.
func under(c, mark pdfChar) bool {
	x := (mark.x0 + mark.x1) / 2
	return unicode.IsLetter(c.r) && x >= c.x0 && x <= c.x1 && mark.y0 < c.y1+(c.y1-c.y0) && mark.y1 > c.y0-(c.y1-c.y0)
}

const (
	lam   = '\u0644'
	alefs = "\u0622\u0623\u0625\u0627"
)

// boldName matches the names of fonts that are bold and do not say so otherwise.
var boldName = regexp.MustCompile(`(?i)bold|black|heavy`)

// measure finds size and weight of each segment by its first character.
func (d *pdfDocument) measure(at requests.Page, segments []segment) {
	text, err := d.pdf.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: at})
	if err != nil {
		return
	}
	defer func() { _, _ = d.pdf.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}) }()
	for i := range segments {
		s := &segments[i]
		s.size = s.y1 - s.y0
		if f, err := d.pdf.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: text.TextPage, Index: s.order}); err == nil && f.FontSize > 0 {
			s.size = f.FontSize
			// Some producers set size 1 and scale by the matrix.
			if m, err := d.pdf.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: text.TextPage, Index: s.order}); err == nil {
				s.size *= math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D))
			}
		}
		if w, err := d.pdf.FPDFText_GetFontWeight(&requests.FPDFText_GetFontWeight{TextPage: text.TextPage, Index: s.order}); err == nil {
			s.bold = w.FontWeight >= 600
		}
		if f, err := d.pdf.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: text.TextPage, Index: s.order}); err == nil {
			s.bold = s.bold || boldName.MatchString(f.FontName)
		}
	}
}

// cleanSegment takes marks off that are no text, folds ligatures and presentation forms to the letters a person types, and tells
// whether the segment ends in a word's division.
func cleanSegment(s string) (text string, divided bool) {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	if r, n := utf8.DecodeLastRuneInString(s); isHyphenMark(r) && n > 0 {
		return cleanText(s[:len(s)-n]) + "-", true
	}
	s = leader.ReplaceAllString(cleanText(s), " … ")
	return s, strings.HasSuffix(s, "-") || strings.HasSuffix(s, "\u2010")
}

// leader matches the row of points that leads the eye from an entry to its page. One ellipsis tells as much, and ends one sentence.
var leader = regexp.MustCompile(`\s*(?:[.·…]\s*){5,}`)

func cleanText(s string) string {
	var b strings.Builder
	plain := true
	for _, r := range s {
		switch {
		case r == 0xAD || r == 0xFFFE || r == 0xFFFF || r == 0xFEFF || r == 0x200B:
		case r == 0x02: // within a line PDFium's mark is a hyphen that divides nothing
			b.WriteByte('-')
		case r == '\t' || r == 0xA0:
			b.WriteByte(' ')
		case r < ' ' || r == 0x7F || r >= 0x80 && r < 0xA0:
		case r >= 0xFB00 && r <= 0xFB06, r >= 0xFB1D && r <= 0xFDFF, r >= 0xFE70 && r <= 0xFEFC, r >= 0x2E80 && r <= 0x2FDF, r >= 0xF900 && r <= 0xFAFF:
			b.WriteString(norm.NFKC.String(string(r)))
			plain = false
		default:
			b.WriteRune(r)
			plain = plain && r < utf8.RuneSelf
		}
	}
	if plain {
		return b.String()
	}
	return closeUp(norm.NFC.String(b.String()))
}

// closeUp takes out the spaces between Chinese and Japanese characters, which those scripts do not have and wide setting makes appear.
func closeUp(s string) string {
	var b strings.Builder
	var last rune
	for i, r := range s {
		if r == ' ' && joinsTight(last) {
			if next, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[i:], " ")); joinsTight(next) {
				continue
			}
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}
