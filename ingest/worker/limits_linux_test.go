package worker_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"docket/ingest/worker"
)

// A child holds its own limits, for the case that nobody watches it, and nothing of its parent's environment.
func TestChildLimits(t *testing.T) {
	t.Setenv("DOCKET_TEST_SECRET", "s3cret")
	c := client(t, "__parse", worker.Limits{})
	alive(t, c)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", c.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`Max cpu time +3600 +3600`, `Max address space +6442450944 +6442450944`, `Max core file size +0 +0`} {
		if !regexp.MustCompile(want).Match(limits) {
			t.Errorf("no %q in\n%s", want, limits)
		}
	}
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", c.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimRight(string(env), "\x00"), fmt.Sprintf("GOMEMLIMIT=%d", 1536<<20*2/3); got != want {
		t.Errorf("environment %q, want %q", got, want)
	}
}
