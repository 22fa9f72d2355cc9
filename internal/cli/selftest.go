package cli

// This file defines the test of an entry in a host's settings: it is read back, and started as the host would start it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// testTime is how long the started command may take to answer everything.
const testTime = 2 * time.Minute

// A testReport is what the started command answered.
type testReport struct {
	Tools  int    `json:"tools"`
	Search string `json:"search"` // the status of a search
}

// passedOn are the variables that hosts built on the MCP SDKs pass to a server; all others they keep back.
var passedOn = []string{
	"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
	"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
}

// testEntry reads docket's entry out of the host's settings, starts it, and asks for its tools and for a search.
func (c *call) testEntry(ctx context.Context, path string, h host) (testReport, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return testReport{}, err
	}
	written, err := entryOf(string(text), h.key, serverName)
	if err != nil {
		return testReport{}, err
	}
	var e serverEntry
	if err := json.Unmarshal([]byte(written), &e); err != nil {
		return testReport{}, fmt.Errorf("read the entry back: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	var log strings.Builder
	cmd := exec.Command(e.Command, e.Args...)
	cmd.Stderr = &log
	for _, name := range passedOn {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for name, v := range e.Env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "docket-install", Version: Version}, nil)
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return testReport{}, fmt.Errorf("start %s: %w: %s", e.Command, err, strings.TrimSpace(log.String()))
	}
	report, err := ask(ctx, session)
	if cerr := session.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("end the session: %w", cerr)
	}
	return report, err
}

func ask(ctx context.Context, session *sdk.ClientSession) (testReport, error) {
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return testReport{}, fmt.Errorf("list the tools: %w", err)
	}
	answer, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "search_evidence", Arguments: map[string]any{"query": "docket", "mode": "lexical"}})
	if err != nil {
		return testReport{}, fmt.Errorf("search: %w", err)
	}
	result, ok := answer.StructuredContent.(map[string]any)
	status, isText := result["status"].(string)
	if answer.IsError || !ok || !isText {
		return testReport{}, errors.New("the search was refused")
	}
	return testReport{len(tools.Tools), status}, nil
}
