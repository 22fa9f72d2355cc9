//go:build !linux

package ingest_test

import (
	"os/exec"
	"testing"
	"time"
)

func mkfifo(t *testing.T, _ string) { t.Skip("made on Linux only") }

func ctimeNS(*testing.T, string) int64 { return 0 }

func runAs(*exec.Cmd, uint32) {}

func cpuTime() time.Duration { return 0 }

func maxRSS() float64 { return 0 }
