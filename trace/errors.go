package trace

// This file defines what a function says when it refuses.

import (
	"fmt"
	"strings"
)

// The codes of an [Error].
const (
	CodeInvalid           = "invalid_parameter"
	CodeTaskExists        = "task_exists"
	CodeTaskNotFound      = "task_not_found"
	CodeEventNotFound     = "event_not_found"
	CodeDecisionNotFound  = "decision_not_found"
	CodeNotFound          = "not_found" // nothing that an impact could be asked of
	CodeChoiceDecided     = "choice_already_decided"
	CodeNotActive         = "not_active"
	CodeEvidenceRequired  = "evidence_required"
	CodeNotFetched        = "evidence_not_fetched"
	CodePartial           = "evidence_partial"
	CodeNotCurrent        = "evidence_not_current"
	CodeQuoteNotFound     = "quote_not_found"
	CodeSupportNotFound   = "support_not_found"
	CodeSupportUnreliable = "support_not_reliable"
	CodeSupportCycle      = "support_cycle"
	CodeResultRequired    = "result_required"
	CodeResultTruncated   = "result_truncated"
	CodeRequestReused     = "request_id_reused"
)

// An Error is a refusal that an agent or a person can act on. Nothing was written.
type Error struct {
	Code       string `json:"error"`
	Message    string `json:"message"`     // what is wrong, with which thing
	NextAction string `json:"next_action"` // what to do instead
	RetrySafe  bool   `json:"retry_safe"`  // the same call, sent again, may succeed
}

func (e *Error) Error() string { return e.Message }

// Hint says what to do next.
func (e *Error) Hint() string { return e.NextAction }

func refuse(code, next, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), NextAction: next}
}

// invalid refuses a parameter.
func invalid(name, problem, next string) error {
	return &Error{Code: CodeInvalid, Message: name + " " + problem, NextAction: next}
}

func list(ids []string) string { return strings.Join(ids, ", ") }
