package ingest_test

import (
	"fmt"
	"testing"

	"docket/db"
	"docket/ingest"
)

func TestPrune(t *testing.T) {
	w := newWorld(t)
	w.write("gone.md", note, "one.md", note)
	w.add("docs")
	for i := range 6 {
		w.write("a.md", fmt.Sprintf("# A\n\nWording %d.\n", i))
		w.sync()
	}
	w.write("a.md", "# A\n\nWording 0.\n") // the oldest is the newest again
	w.remove("gone.md")
	w.sync()
	before := w.snapshot()
	if _, err := ingest.Prune(t.Context(), w.d, 0); err == nil {
		t.Error("Prune took 0 versions to keep")
	}
	got, err := ingest.Prune(t.Context(), w.d, ingest.KeepVersions)
	if err != nil || got.Versions != 4 || got.Documents != 2 || got.Bytes == 0 {
		t.Errorf("Prune: %+v, %v; want 3 versions of a.md and the one of gone.md", got, err)
	}
	w.wantSame(before, "after pruning")
	w.view(func(tx *db.Tx) error {
		doc, err := tx.Document(t.Context(), "docs/a.md")
		if err != nil {
			return err
		}
		vs, err := tx.Versions(t.Context(), doc.ID)
		if err != nil || len(vs) != 3 || vs[0].Row != doc.Current {
			t.Errorf("versions left: %+v, %v", vs, err)
		}
		return err
	})
	if got, err := ingest.Prune(t.Context(), w.d, ingest.KeepVersions); err != nil || got.Versions != 0 {
		t.Errorf("second Prune: %+v, %v", got, err)
	}
	w.write("gone.md", note)
	if got := w.sync(); got.Indexed != 1 {
		t.Errorf("a pruned document that comes back: %+v", got)
	}
	w.wantFresh("after pruning and a return")
}
