package embed_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"docket/search/embed"
)

func vec(t *testing.T, text string) []float32 {
	t.Helper()
	v, ok := embed.Static().Embed(text)
	if !ok {
		t.Fatalf("%q has no vector", text)
	}
	return v
}

func cosine(a, b []float32) (c float64) {
	for i := range a {
		c += float64(a[i]) * float64(b[i])
	}
	return c
}

// The id names the table that is linked in, and the provenance document tells of that very table.
func TestIDNamesTheTable(t *testing.T) {
	table, err := os.ReadFile("model/static-t4-int4.bin")
	if err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(table))
	if id := embed.Static().ID(); !strings.HasSuffix(id, "-"+sum[:16]) {
		t.Errorf("id %s, table %s", id, sum)
	}
	doc, err := os.ReadFile("model/PROVENANCE.md")
	if err != nil || !strings.Contains(string(doc), sum) {
		t.Errorf("PROVENANCE.md does not name %s (%v)", sum, err)
	}
}

// Stored vectors are compared with those of later queries, on other machines: if this test fails, the number in the model's id has to rise.
func TestVectorsAreThoseOfTheID(t *testing.T) {
	const want = "static-t4.1-43d5d8d709111004 6c060a83cda2de71"
	h := sha256.New()
	for _, text := range []string{
		"Who approved the migration of the billing database?",
		"getUserName returns HTTPServer errors; the re-indexing of unwieldinesses",
		"Café naïve ﬁle, colour organisation, mRNAs in neuroblasts",
		strings.Repeat("the quick brown fox jumps over the lazy dog ", 200),
	} {
		for _, x := range vec(t, text) {
			if err := binary.Write(h, binary.LittleEndian, math.Float32bits(x)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := fmt.Sprintf("%s %x", embed.Static().ID(), h.Sum(nil)[:8]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNoKnownWordNoVector(t *testing.T) {
	for name, text := range map[string]string{
		"empty":     "",
		"blank":     " \t\n",
		"marks":     "--- !? … “”",
		"Japanese":  "検索エンジンの評価",
		"Cyrillic":  "Это проверка",
		"emoji":     "👩‍👩‍👧‍👦 🇨🇭",
		"invalid":   "\xff\xfe\x00",
		"base64":    strings.Repeat("QUJD", 500),
		"gibberish": "xqzvkw zzxqjv",
	} {
		if v, ok := embed.Static().Embed(text); ok || v != nil {
			t.Errorf("%s: %q has a vector", name, text)
		}
	}
}

// The table holds words of any language, as names and borrowings. What they mean in English says nothing of a text in their own.
func TestForeignTextsHaveNoVector(t *testing.T) {
	for language, text := range map[string]string{
		"German": "Der Vorstand hat die Übernahme der alten Datenbank am vergangenen Montag beschlossen. Die Kosten tragen beide Abteilungen je zur Hälfte, und die Arbeiten beginnen im nächsten Quartal, sobald der Prüfbericht vorliegt.",
		"French": "Le conseil a décidé lundi dernier de reprendre l'ancienne base de données. Les deux services se partagent les frais, et les travaux commencent au prochain trimestre, dès que le rapport de contrôle est disponible.",
		"Polish": "Zarząd podjął w poniedziałek decyzję o przejęciu starej bazy danych. Koszty ponoszą po połowie oba działy, a prace rozpoczną się w następnym kwartale.",
		"Latin":  strings.Repeat("Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam qui ipsorum lingua Celtae appellantur. ", 3),
	} {
		if _, ok := embed.Static().Embed(text); ok {
			t.Errorf("%s has a vector", language)
		}
	}
	for kind, text := range map[string]string{
		"rare words":   "hematopoietic neutrophils",
		"one word":     "dysplasia",
		"abstract":     "Myelodysplastic syndromes are age-dependent stem cell malignancies that share biological features of activated adaptive immune response and ineffective hematopoiesis.",
		"code":         "func (d *DB) Close() error {\n\tvar errs []error\n\tif d.ro != nil {\n\t\terrs = append(errs, d.ro.Close())\n\t}\n\treturn errors.Join(errs...)\n}",
		"foreign name": "Who is Übernahmeverantwortlicher for the café in Łódź?",
	} {
		vec(t, kind+": "+text)
		vec(t, text)
	}
}

func TestSameWords(t *testing.T) {
	for _, tt := range []struct{ name, a, b string }{
		{"case", "MIGRATION", "migration"},
		{"accent", "café society", "cafe society"},
		{"accent, decomposed", "cafe\u0301", "cafe"},
		{"ligature", "ﬁle", "file"},
		{"full width", "ｄａｔａ", "data"},
		{"soft hyphen", "data\u00adbase", "database"},
		{"hyphen that does not break", "well\u2011known", "well-known"},
		{"hyphens of unknown words", "database-decision", "database decision"},
		{"punctuation", "(data), [base]!", "data base"},
		{"unknown words add nothing", "data xqzvkw 検索 base", "data base"},
		{"camel case", "approvedMigrationHTTPServer", "approved migration http server"},
		{"snake case", "approved_migration", "approved migration"},
		{"letters and figures", "migration2approved", "migration 2 approved"},
		{"plural", "checksums", "checksum"},
		{"doubled letter", "unplugging", "unplug"},
		{"British", "catalyse", "catalyze"},
		{"compound", "dataanalysis", "data analysis"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !slices.Equal(vec(t, tt.a), vec(t, tt.b)) {
				t.Errorf("%q is not %q", tt.a, tt.b)
			}
		})
	}
}

func TestMeaning(t *testing.T) {
	for _, tt := range []struct{ text, near, far string }{
		{"car", "automobile", "banana"},
		{"who signed the contract", "the agreement was executed by the vendor", "rain is expected over the mountains"},
		{"how fast does the program run", "execution speed of the software", "recipes for apple cake"},
		{"heart attack", "myocardial infarction", "stock exchange"},
	} {
		q := vec(t, tt.text)
		if near, far := cosine(q, vec(t, tt.near)), cosine(q, vec(t, tt.far)); near <= far {
			t.Errorf("%q: %.3f to %q, %.3f to %q", tt.text, near, tt.near, far, tt.far)
		}
	}
}

func FuzzEmbed(f *testing.F) {
	for _, s := range []string{"", "Who approved it?", "HTTPServer-ß-ﬁle", "a\xff-b", "検索 data", strings.Repeat("x", 100), "İI-ı"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := embed.Static()
		v, ok := m.Embed(text)
		if ok != (v != nil) {
			t.Fatalf("ok %v with %d values", ok, len(v))
		}
		if !ok {
			return
		}
		if n := cosine(v, v); len(v) != m.Dim() || math.IsNaN(n) || math.Abs(n-1) > 1e-5 {
			t.Fatalf("%d values of length² %v", len(v), n)
		}
		words := strings.Fields(text) // neither their order nor what stands between them counts
		slices.Reverse(words)
		if back, _ := m.Embed(strings.Join(words, "\n")); !slices.Equal(back, v) {
			t.Fatalf("the same words in another order have another vector")
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	text := strings.Repeat("The committee approved the migration of the billing database after a review. ", 16) // about a passage
	m := embed.Static()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Embed(text)
	}
}
