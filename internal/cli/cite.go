package cli

// This file defines "docket cite".

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"docket/db"
	"docket/search"
)

var citeCommand = &command{
	name: "cite", args: "[FILE | -] [ID]...", short: "number the citations of a draft and list what they stand for",
	long: `Reads a draft from a file, or from standard input, in which citations are marked as [[c_...]] or [[s_...]], and prints it with
numbers for the marks and the list of references they point to. With ids alone, prints their list. An id that stands for
nothing keeps its mark, and the exit code is 1.`,
	examples: []string{"docket cite draft.md > final.md", "docket cite c_abcdefghijklmnopqrstuvwxyz"},
	max:      -1, settings: readerSettings,
	setup: func(*flag.FlagSet) runner {
		return func(ctx context.Context, c *call, args []string) (err error) {
			var r search.RenderRequest
			file := ""
			for _, arg := range args {
				if _, isID := db.ParseEvidenceID(arg); isID {
					r.IDs = append(r.IDs, arg)
				} else if file == "" {
					file = arg
				} else {
					return &usageError{fmt.Sprintf("cite: %q is neither an id nor the only file", arg), "docket help cite"}
				}
			}
			cfg, d, err := c.open(ctx)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			if r.Scope, err = cfg.scope(); err != nil {
				return err
			}
			if file != "" || len(r.IDs) == 0 {
				if r.Draft, err = c.draft(ctx, file); err != nil {
					return err
				}
			}
			cited, err := search.RenderCitations(ctx, d, r)
			if err != nil {
				return err
			}
			if c.json {
				err = c.writeJSON(cited)
			} else {
				_, err = c.out.WriteString(cited.Text) // to the byte: it is a document, and may go to a file
			}
			if len(cited.UnknownIDs) > 0 && err == nil {
				err = fmt.Errorf("nothing is known of %s", strings.Join(cited.UnknownIDs, ", "))
			}
			return err
		}
	},
}

// draft reads the file, or standard input for "-" and for none; that may never end, and is given up when ctx is done.
func (c *call) draft(ctx context.Context, file string) (string, error) {
	var text []byte
	var err error
	if file == "" || file == "-" {
		done := make(chan struct{})
		go func() {
			defer close(done)
			text, err = io.ReadAll(c.stdin)
		}()
		select {
		case <-done:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return "", fmt.Errorf("read the draft: %w", err)
	}
	return string(text), nil
}
