package format

// This file defines the parser of Go source: a section for every declaration, under its symbol and with its doc comment.

import (
	"errors"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

const maxGoSource = 8 << 20 // bytes; a longer file is generated data

// goSource reports false, with a Note, where the text does not parse.
func goSource(doc *Document, lines []line) bool {
	if len(doc.Text) > maxGoSource {
		doc.Notes = append(doc.Notes, fmt.Sprintf("Go source of more than %d MB, read as plain lines", maxGoSource>>20))
		return false
	}
	src := doc.Text
	if strings.Contains(src, "\r") { // a line end to Go is a line feed; offsets stay
		src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", " \n"), "\r", "\n")
	}
	set := token.NewFileSet()
	file, err := goparser.ParseFile(set, "", src, goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		doc.Notes = append(doc.Notes, goNote(err))
		return false
	}
	offset := func(p token.Pos) int { return set.PositionFor(p, false).Offset }
	for _, s := range file.Imports {
		target, _ := strconv.Unquote(s.Path.Value)
		doc.Links = append(doc.Links, Link{Kind: "import", Target: target, Start: offset(s.Path.Pos()), End: offset(s.Path.End())})
	}
	at := 0 // the first line that no block has
	for _, d := range file.Decls {
		for _, s := range goSymbols(d) {
			first, last := at, 0
			for first < len(lines) && lines[first].end < offset(s.start) {
				first++
			}
			for last = first; last < len(lines) && lines[last].end < offset(s.end); {
				last++
			}
			last = min(last+1, len(lines))
			if first >= last || first < at {
				continue // two declarations on one line
			}
			codeBlocks(doc, lines[at:first], 0)
			start, _ := trimmed(doc.Text, lines[first].start, lines[first].end)
			doc.Sections = append(doc.Sections, Section{Level: 1, Heading: s.name, Symbol: s.name, Start: start})
			section := len(doc.Sections) - 1
			if spans := appendLineGroups(nil, doc.Text, lines[first:last]); len(spans) > 0 {
				doc.Blocks = append(doc.Blocks, Block{Kind: Code, Section: section, Start: spans[0].Start, End: spans[len(spans)-1].End, Spans: spans})
				doc.Sections[section].End = spans[len(spans)-1].End
			}
			at = last
		}
	}
	if at < len(lines) {
		codeBlocks(doc, lines[at:], 0)
	}
	return true
}

// A goSymbol is a declaration with its doc comment.
type goSymbol struct {
	name       string
	start, end token.Pos
}

// goSymbols gives what a declaration declares: a function, each type of a group, or a group of constants or variables, named after its first.
func goSymbols(d ast.Decl) []goSymbol {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) > 0 {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		return []goSymbol{{name, docStart(d.Doc, d.Pos()), d.End()}}
	case *ast.GenDecl:
		if len(d.Specs) == 0 || d.Tok == token.IMPORT {
			return nil
		}
		if d.Tok == token.TYPE && len(d.Specs) > 1 {
			var out []goSymbol
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					out = append(out, goSymbol{t.Name.Name, docStart(t.Doc, t.Pos()), t.End()})
				}
			}
			return out
		}
		switch s := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return []goSymbol{{s.Name.Name, docStart(d.Doc, d.Pos()), d.End()}}
		case *ast.ValueSpec:
			return []goSymbol{{s.Names[0].Name, docStart(d.Doc, d.Pos()), d.End()}}
		}
	}
	return nil
}

func docStart(doc *ast.CommentGroup, decl token.Pos) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return decl
}

func receiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

func goNote(err error) string {
	if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
		return fmt.Sprintf("line %d: %s; read as plain lines", list[0].Pos.Line, list[0].Msg)
	}
	return fmt.Sprintf("%v; read as plain lines", err)
}
