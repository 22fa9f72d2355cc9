package main

// This file defines what is tested of the watcher through the real binary: edits reach servers that nobody told of them.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An edit of a cited passage can be searched for in every server soon after, and whoever has subscribed to the review hears of it,
// without anybody running a command.
func TestEditsReachServers(t *testing.T) {
	dir, path := filepath.Join(t.TempDir(), "docs"), filepath.Join(t.TempDir(), "docket.db")
	docket := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("docket", append(args, "--db", path, "--project", "p", "--agent", "a")...).Output()
		if err != nil {
			t.Fatalf("docket %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	write := func(words string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "plan.md"), []byte("# Plan\n\n"+words+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write("The budget is thirty thousand.")
	if out, err := exec.Command("docket", "add", dir, "--db", path).CombinedOutput(); err != nil {
		t.Fatalf("add: %v: %s", err, out)
	}
	docket("tasks", "create", "plan", "Make a plan.")
	var found struct {
		Hits []struct {
			EvidenceID string `json:"evidence_id"`
		}
	}
	out, err := exec.Command("docket", "search", "budget", "--json", "--db", path).Output()
	if err != nil || json.Unmarshal(out, &found) != nil || len(found.Hits) != 1 {
		t.Fatalf("search: %v: %s", err, out)
	}
	docket("decisions", "record", "--task", "plan", "--choice", "budget", "--conclusion", "Thirty.", "--rationale", "It says so.",
		"--on", found.Hits[0].EvidenceID+"=The budget is thirty thousand.")

	var servers []*session
	for range 2 {
		s := serve(t, "--db", path, "--project", "p", "--agent", "a")
		if err := s.handshake(); err != nil {
			t.Fatal(err)
		}
		servers = append(servers, s)
	}
	listener := servers[1]
	if _, err := listener.request("resources/subscribe", map[string]any{"uri": "docket://review"}); err != nil {
		t.Fatal(err)
	}
	// An edit that comes before the server has looked for the first time is not told of, so there are several.
	late, again := time.After(patience), time.NewTicker(5*time.Second)
	defer again.Stop()
	write("The budget is twenty thousand.")
	for told, n := false, 0; !told; {
		select {
		case line := <-listener.lines:
			told = bytes.Contains(line, []byte("notifications/resources/updated"))
		case <-again.C:
			n++
			write([]string{"The budget is thirty thousand.", "The budget is twenty thousand."}[n%2])
		case <-late:
			t.Fatalf("no word of the review within %v", patience)
		}
	}
	write("The budget is forty camels.")
	for end := time.Now().Add(patience); ; {
		answer, err := servers[0].call("search_evidence", `{"query": "camels"}`)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(answer, "plan.md") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the edit cannot be found: %s", answer)
		}
	}
	if out := docket("review"); !strings.Contains(out, "Thirty.") {
		t.Errorf("the review does not hold the decision:\n%s", out)
	}
	if out, err := exec.Command("docket", "status", "--json", "--db", path).Output(); err != nil || !strings.Contains(string(out), fmt.Sprintf(`"pid": %d`, servers[0].cmd.Process.Pid)) && !strings.Contains(string(out), fmt.Sprintf(`"pid": %d`, servers[1].cmd.Process.Pid)) {
		t.Errorf("status names neither server: %v: %s", err, out)
	}
}
