package trace

// This file defines events, the log of a task: record_event, list_events and fetch_event.

import (
	"context"
	"fmt"

	"docket/db"
)

// The kinds of events.
const (
	EventMessage    = "message"
	EventToolCall   = "tool_call"
	EventToolResult = "tool_result"
	EventNote       = "note"
)

const (
	maxPayload   = 1_000_000 // characters that an event may be given
	maxStored    = 32_000    // characters of it that are kept
	previewChars = 240
)

// RecordEventParams are the parameters of [RecordEvent].
type RecordEventParams struct {
	TaskName  string `json:"task_name"`
	Kind      string `json:"kind"`
	Payload   string `json:"payload"`
	Role      string `json:"role"`
	Name      string `json:"name"`
	RequestID string `json:"request_id"`
}

// An EventReceipt is what [RecordEvent] returns.
type EventReceipt struct {
	TaskName   string `json:"task_name"`
	Seq        int    `json:"seq"`
	Chars      int    `json:"chars"`     // of the full text
	Truncated  bool   `json:"truncated"` // not all of it was kept
	FullSHA256 string `json:"full_sha256"`
	CreatedAt  string `json:"created_at"`
}

// RecordEvent appends an event to a task. Of a long text the first 32,000 characters are kept, with the hash of all of it.
func RecordEvent(ctx context.Context, d *db.DB, who Identity, p RecordEventParams) (EventReceipt, error) {
	if err := first(
		checkTaskName(p.TaskName),
		checkOneOf("kind", p.Kind, EventMessage, EventToolCall, EventToolResult, EventNote),
		checkTexts(bound{"payload", p.Payload, 0, maxPayload}, bound{"role", p.Role, 0, 100}, bound{"name", p.Name, 0, 200}),
	); err != nil {
		return EventReceipt{}, err
	}
	args := p
	args.RequestID = ""
	return write(ctx, d, who, request{"record_event", p.RequestID, args}, func(tx *db.Tx) (EventReceipt, error) {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return EventReceipt{}, err
		}
		// Writers are one at a time, so no other event can take the number.
		seq, err := db.One(ctx, tx, db.Value[int], `SELECT coalesce(max(seq), 0) + 1 FROM event WHERE task_id = ?`, t.id)
		if err != nil {
			return EventReceipt{}, err
		}
		full := db.HashOf(p.Payload)
		body := head(p.Payload, maxStored)
		out := EventReceipt{t.TaskName, seq, chars(p.Payload), len(body) < len(p.Payload), full.String(), tx.Stamp()}
		_, err = tx.Exec(ctx, `
			INSERT INTO event (task_id, seq, kind, role, name, preview, body, chars, full_hash, truncated, agent, created_at, hash)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			t.id, seq, p.Kind, p.Role, p.Name, cut(p.Payload, previewChars), []byte(body), out.Chars, full[:], out.Truncated, who.Agent, out.CreatedAt,
			eventHash(t.id, seq, p.Kind, p.Role, p.Name, body, out.Chars, full, out.Truncated, who.Agent, out.CreatedAt))
		if err != nil {
			return EventReceipt{}, fmt.Errorf("event %d of task %s: %w", seq, p.TaskName, err)
		}
		return out, nil
	})
}

func eventHash(task int64, seq int, kind, role, name, body string, chars int, full db.Hash, truncated bool, agent, at string) []byte {
	return recordHash(task, seq, kind, role, name, db.HashOf(body).String(), chars, full.String(), truncated, agent, at)
}

// head returns the first n characters of s.
func head(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// An EventSummary is an event without its body.
type EventSummary struct {
	Seq       int    `json:"seq"`
	Kind      string `json:"kind"`
	Role      string `json:"role,omitempty"`
	Name      string `json:"name,omitempty"`
	CreatedAt string `json:"created_at"`
	Preview   string `json:"preview"`
	Chars     int    `json:"chars"`
	Truncated bool   `json:"truncated"`
}

func eventSummaries(ctx context.Context, tx *db.Tx, where string, args ...any) ([]EventSummary, error) {
	return db.Query(ctx, tx, func(r db.Row, e *EventSummary) error {
		return r.Scan(&e.Seq, &e.Kind, &e.Role, &e.Name, &e.CreatedAt, &e.Preview, &e.Chars, &e.Truncated)
	}, `SELECT seq, kind, role, name, created_at, preview, chars, truncated FROM event WHERE `+where, args...)
}

// ListEventsParams are the parameters of [ListEvents].
type ListEventsParams struct {
	TaskName string `json:"task_name"`
	AfterSeq int    `json:"after_seq"`
	Limit    int    `json:"limit"`
}

// An EventPage is a page of a task's events.
type EventPage struct {
	TaskName     string         `json:"task_name"`
	NextAfterSeq int            `json:"next_after_seq,omitempty"` // where the next page begins, absent on the last one
	Events       []EventSummary `json:"events"`
}

// ListEvents returns a page of a task's events, in order, without their bodies.
func ListEvents(ctx context.Context, d *db.DB, who Identity, p ListEventsParams) (EventPage, error) {
	var out EventPage
	if err := first(who.check(), checkTaskName(p.TaskName), checkRange("after_seq", p.AfterSeq, 0, 1<<53), checkRange("limit", p.Limit, 1, 200)); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return err
		}
		events, err := eventSummaries(ctx, tx, `task_id = ? AND seq > ? ORDER BY seq LIMIT ?`, t.id, p.AfterSeq, p.Limit+1)
		out = EventPage{TaskName: t.TaskName, Events: events}
		if len(events) > p.Limit {
			out.Events = events[:p.Limit]
			out.NextAfterSeq = out.Events[p.Limit-1].Seq
		}
		return err
	})
	return out, err
}

// FetchEventParams are the parameters of [FetchEvent].
type FetchEventParams struct {
	TaskName string `json:"task_name"`
	Seq      int    `json:"seq"`
	Offset   int    `json:"offset"`    // the first character of the stored body that is wanted
	MaxChars int    `json:"max_chars"` // 0 for all of it
}

// An Event is one event with its stored body, or a part of that.
type Event struct {
	TaskName    string `json:"task_name"`
	Seq         int    `json:"seq"`
	Kind        string `json:"kind"`
	Role        string `json:"role,omitempty"`
	Name        string `json:"name,omitempty"`
	AgentID     string `json:"agent_id"`
	CreatedAt   string `json:"created_at"`
	Chars       int    `json:"chars"`        // of the full text
	StoredChars int    `json:"stored_chars"` // of the body
	Truncated   bool   `json:"truncated"`    // the body is not all of the text
	FullSHA256  string `json:"full_sha256"`  // of the full text
	Offset      int    `json:"offset"`
	NextOffset  int    `json:"next_offset,omitempty"` // where the rest of the body begins, absent at its end
	Body        string `json:"body"`
}

// FetchEvent returns one event with its stored body.
func FetchEvent(ctx context.Context, d *db.DB, who Identity, p FetchEventParams) (Event, error) {
	var out Event
	if err := first(who.check(), checkTaskName(p.TaskName), checkRange("seq", p.Seq, 1, 1<<53), checkRange("offset", p.Offset, 0, maxStored),
		checkRange("max_chars", p.MaxChars, 0, maxStored)); err != nil {
		return out, err
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		t, err := findTask(ctx, tx, who.Project, p.TaskName)
		if err != nil {
			return err
		}
		type stored struct {
			Event
			body, hash []byte
		}
		rows, err := db.Query(ctx, tx, func(r db.Row, e *stored) error {
			return r.Scan(&e.Seq, &e.Kind, &e.Role, &e.Name, &e.AgentID, &e.CreatedAt, &e.Chars, &e.Truncated, &e.body, &e.hash)
		}, `SELECT seq, kind, role, name, agent, created_at, chars, truncated, body, full_hash FROM event WHERE task_id = ? AND seq = ?`, t.id, p.Seq)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return refuse(CodeEventNotFound, "see list_events", "task %q has no event %d", p.TaskName, p.Seq)
		}
		e := rows[0]
		body := string(e.body)
		out = e.Event
		out.TaskName, out.StoredChars, out.FullSHA256, out.Offset = t.TaskName, chars(body), fmt.Sprintf("sha256:%x", e.hash), p.Offset
		out.Body = body[len(head(body, p.Offset)):]
		if p.MaxChars > 0 {
			out.Body = head(out.Body, p.MaxChars)
		}
		if end := p.Offset + chars(out.Body); end < out.StoredChars {
			out.NextOffset = end
		}
		return nil
	})
	return out, err
}
