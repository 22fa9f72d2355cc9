package db

// This file defines ids: how they are derived from what they name, and how they are read back.

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
)

// A Hash is a SHA-256.
type Hash [sha256.Size]byte

// String returns the hash as tools show it.
func (h Hash) String() string { return fmt.Sprintf("sha256:%x", h[:]) }

// HashOf returns the hash of b.
func HashOf[T string | []byte](b T) Hash { return sha256.Sum256([]byte(b)) }

const (
	idLength     = 26
	spanOf       = 20 // characters that a span's id shares with its chunk's
	maxSpanBytes = 1 << 15
)

const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

var idEncoding = base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding)

func derive(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return idEncoding.EncodeToString(h[:])[:idLength]
}

// VersionID derives a version's id: the same bytes read into the same text at the same key have the same id everywhere.
func VersionID(key string, content, text Hash) string {
	return "v_" + derive(key, string(content[:]), string(text[:]))
}

// chunkName derives the 26 characters that name a passage. They hold no path, and no parser or chunker can make one name mean two texts.
func chunkName(key string, content, text Hash, start, end int) string {
	return derive(key, string(content[:]), string(text[:]), fmt.Sprint(start), fmt.Sprint(end))
}

// An EvidenceID names a chunk, or a range of one: a span.
type EvidenceID struct {
	name       string // the chunk's 26 characters, or a span's first 20
	span       bool
	start, end int // bytes in the chunk, for a span
}

// ParseEvidenceID reads an id as tools write it. ok is false for anything that cannot be one.
func ParseEvidenceID(s string) (id EvidenceID, ok bool) {
	kind, name, found := strings.Cut(s, "_")
	if !found || len(name) != idLength || kind != "c" && kind != "s" {
		return EvidenceID{}, false
	}
	if strings.Trim(name, idAlphabet) != "" {
		return EvidenceID{}, false
	}
	if kind == "c" {
		return EvidenceID{name: name}, true
	}
	n := 0 // 6 characters hold 30 bits: start and end, 15 each
	for _, c := range []byte(name[spanOf:]) {
		n = n<<5 | strings.IndexByte(idAlphabet, c)
	}
	id = EvidenceID{name: name[:spanOf], span: true, start: n >> 15, end: n & (maxSpanBytes - 1)}
	return id, id.start < id.end
}

// IsSpan reports whether the id names a part of a chunk.
func (id EvidenceID) IsSpan() bool { return id.span }

// ID returns the chunk's evidence id.
func (c *Chunk) ID() string { return "c_" + c.name }

// SpanID returns the evidence id of a range of the chunk, given in bytes of the version's text.
func (c *Chunk) SpanID(start, end int) string {
	n := uint32(start-c.Start)<<15 | uint32(end-c.Start)
	out := []byte("s_" + c.name[:spanOf] + "aaaaaa")
	for i := len(out) - 1; n > 0; i-- {
		out[i] = idAlphabet[n&31]
		n >>= 5
	}
	return string(out)
}
