package ingest

import (
	"context"

	"docket/db"
)

// WalkFiles returns what a sync of the folder would read, without reading it: for comparisons over very many names.
func WalkFiles(ctx context.Context, d *db.DB, path string) ([]string, error) {
	t, err := openTree(d, path, parserSet{}.unsupported)
	if err != nil {
		return nil, err
	}
	defer t.close()
	l, err := t.walk(ctx, nil, func(string) {}, func(int) {})
	var out []string
	for _, f := range l.files {
		out = append(out, f.path)
	}
	return out, err
}

// Ignored reports whether the rules of one ignore file at the root leave a path out.
func Ignored(file []byte, path string, folder bool) bool {
	_, name := split(path)
	return leftOut([]ignoreRules{parseIgnore(".gitignore", "", file)}, path, name, folder, "") != ""
}
