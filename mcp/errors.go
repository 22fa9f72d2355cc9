package mcp

// This file defines what a tool answers when it cannot give a result.

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docket/db"
	"docket/trace"
)

// A toolError is an answer that an agent can act on. It stands in a text block alone, since hosts drop the structured content
// of errors.
type toolError struct {
	Code       string `json:"error"`
	Message    string `json:"message"`     // what is wrong, with which thing
	NextAction string `json:"next_action"` // what to send or do instead
	RetrySafe  bool   `json:"retry_safe"`  // the same call, sent again, does no harm and may succeed
}

func (e *toolError) Error() string { return e.Code + ": " + e.Message }

// refuse is the error for a parameter that cannot be taken.
func refuse(name, problem, next string) error {
	return &toolError{Code: "invalid_parameter", Message: name + " " + problem, NextAction: next}
}

// errStopping is the cause of calls that the end of the session cuts short.
var errStopping = errors.New("the server is stopping")

// errCrowded is returned to a call that found no free place in time.
var errCrowded = errors.New("too many calls are running")

// A panicError stands for a panic in a tool.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// explain turns any error into what the agent is told. Errors of the packages below bring their own words: a Code that agents
// branch on, and a Hint for what comes next.
func (s *Server) explain(tool string, err error) *toolError {
	if e, ok := errors.AsType[*toolError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*trace.Error](err); ok {
		return &toolError{e.Code, e.Message, e.NextAction, e.RetrySafe}
	}
	e := &toolError{Code: "internal", Message: err.Error(), NextAction: "tell the person; `docket doctor` checks the store"}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		*e = toolError{"deadline_exceeded", fmt.Sprintf("%s took longer than %v", tool, s.o.Deadline), "ask for less, or try again", true}
	case errors.Is(err, errStopping):
		*e = toolError{"stopping", "the server is stopping", "start it again", true}
	case errors.Is(err, errCrowded):
		*e = toolError{"busy", errCrowded.Error(), "try again", true}
	case errors.Is(err, context.Canceled):
		*e = toolError{"cancelled", "the call was cancelled", "send it again if it is still wanted", true}
	default:
		if _, ok := errors.AsType[*db.BusyError](err); ok {
			e.Code, e.RetrySafe = "busy", true
		}
		if _, ok := errors.AsType[*panicError](err); ok {
			e.Message = "docket made a mistake while answering " + tool
		}
		if coded, ok := errors.AsType[interface {
			error
			Code() string
		}](err); ok {
			e.Code = coded.Code()
		}
		if hinted, ok := errors.AsType[interface {
			error
			Hint() string
		}](err); ok {
			e.NextAction = hinted.Hint()
		}
		if e.Code == "internal" {
			s.log.Error("tool failed", "tool", tool, "error", err)
		}
	}
	return e
}

// failure is the answer that carries an error.
func failure(e *toolError) *sdk.CallToolResult {
	b, err := marshal(e)
	if err != nil {
		b = []byte(`{"error":"internal","message":"an error could not be encoded","next_action":"tell the person","retry_safe":false}`)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(b)}}}
}
