package trace

// This file defines for whom the functions act, and the checks of what they are given.

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"docket/db"
)

// An Identity says for whom a function acts, and what that session may see and has read.
type Identity struct {
	Project string // tasks, decisions and requests belong to it
	Agent   string // what is written is recorded under this name
	Person  bool   // a person at the keyboard, who may leave out request ids

	Scope   db.Scope                                 // documents outside it are withheld
	Fetched func(id string) (complete, partial bool) // what this session has read of an evidence id; nil is nothing
}

func (who Identity) check() error {
	if who.Project == "" || who.Agent == "" {
		return invalid("project and agent", "must both be set", "set MCP_PROJECT_ID and MCP_AGENT_ID")
	}
	return nil
}

// A bound is a range of characters that a text parameter may have.
type bound struct {
	name     string
	text     string
	min, max int
}

// checkTexts refuses the first text that is out of its bounds, is not UTF-8, is blank, or is a placeholder nobody filled in.
func checkTexts(bounds ...bound) error {
	for _, b := range bounds {
		n := utf8.RuneCountInString(b.text)
		switch {
		case !utf8.ValidString(b.text):
			return invalid(b.name, "is not valid UTF-8", "send it as UTF-8")
		case n < b.min || n > b.max:
			return invalid(b.name, fmt.Sprintf("has %d characters", n), fmt.Sprintf("send %d to %d characters", b.min, b.max))
		case b.min > 0 && placeholder(b.text):
			return invalid(b.name, fmt.Sprintf("is %q, which says nothing", b.text), "send the real text")
		}
	}
	return nil
}

// placeholder reports whether a text is blank, or only holds the place of one, like <conclusion> or {{name}}.
func placeholder(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.Trim(s, ".…-–—_?") == "" ||
		strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && !strings.ContainsAny(s[1:len(s)-1], "<>") ||
		strings.HasPrefix(s, "{{") && strings.HasSuffix(s, "}}") && !strings.Contains(s[2:len(s)-2], "}}")
}

func checkTaskName(name string) error { return checkTexts(bound{"task_name", name, 1, 200}) }

func checkRange(name string, n, low, high int) error {
	if n < low || n > high {
		return invalid(name, fmt.Sprintf("is %d", n), fmt.Sprintf("send %d to %d", low, high))
	}
	return nil
}

func checkOneOf(name, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return invalid(name, fmt.Sprintf("is %q", value), "send one of "+list(allowed))
}

func checkDecisionID(name, id string) error {
	if u, err := uuid.Parse(id); err != nil || u.String() != id {
		return invalid(name, fmt.Sprintf("is %q", id), "send a decision's id, a UUID in lower case")
	}
	return nil
}

// checkList refuses a list of texts with too many, or one of them out of bounds.
func checkList(name string, texts []string) error {
	if len(texts) > 20 {
		return invalid(name, fmt.Sprintf("has %d items", len(texts)), "send 20 at most")
	}
	for i, t := range texts {
		if err := checkTexts(bound{fmt.Sprintf("%s[%d]", name, i), t, 1, 1000}); err != nil {
			return err
		}
	}
	return nil
}

// cut returns at most n characters of s, with a mark where something was left out.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return strings.TrimRight(s[:i], " \t\r\n") + "…"
		}
	}
	return s
}
