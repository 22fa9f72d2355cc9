package main

// This file defines "mcpcall", the client of MCP that scripts use. Piping a session into a server says nothing about answers, so
// it sends one message at a time and waits for what belongs to it. Every line that the server writes must be JSON-RPC.
//
//	mcpcall [-call 'TOOL {ARGUMENTS}']... COMMAND [ARG]...    start a server with a command
//	mcpcall [-call 'TOOL {ARGUMENTS}']... -block FILE         start the one in a host's settings, as the host would
//
// With -call it shakes hands, calls the tools in turn, and prints the structured content of each answer, or the text of a
// refusal after "refused: ". Without, it sends its standard input line by line and prints each answer as it came.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"
)

func mcpcall() {
	log.SetFlags(0)
	log.SetPrefix("mcpcall: ")
	var calls []string
	flag.CommandLine = flag.NewFlagSet("mcpcall", flag.ExitOnError)
	flag.Func("call", "call a tool: `NAME {ARGUMENTS}`", func(s string) error { calls = append(calls, s); return nil })
	block := flag.String("block", "", "start the server of a host's settings `FILE`")
	flag.Parse()

	var cmd *exec.Cmd
	switch {
	case *block != "":
		cmd = commandOf(*block)
	case flag.NArg() > 0:
		cmd = exec.Command(flag.Arg(0), flag.Args()[1:]...)
	default:
		log.Fatal("it needs a command, or -block FILE")
	}
	s, err := startSession(cmd)
	check(err)
	if calls == nil {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			answer, err := s.send(lines.Bytes())
			check(err)
			if answer != nil {
				fmt.Printf("%s\n", answer)
			}
		}
	} else {
		check(s.handshake())
	}
	for _, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		answer, err := s.call(name, args)
		check(err)
		fmt.Println(answer)
	}
	check(s.close())
}

// commandOf returns the command of the only server in a host's settings, with the few variables that hosts pass on.
func commandOf(file string) *exec.Cmd {
	text, err := os.ReadFile(file)
	check(err)
	type entry struct {
		Command string
		Args    []string
		Env     map[string]string
	}
	var settings struct{ MCPServers, Servers map[string]entry }
	check(json.Unmarshal(text, &settings))
	e, ok := settings.MCPServers["docket"]
	if !ok {
		e, ok = settings.Servers["docket"]
	}
	if !ok {
		log.Fatalf("%s has no server named docket", file)
	}
	cmd := exec.Command(e.Command, e.Args...)
	for _, name := range []string{"HOME", "PATH", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT", "TEMP", "USERPROFILE"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for name, v := range e.Env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	return cmd
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A session is a running server and its streams.
type session struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte // what the server writes; closed at its end
	last  int         // the id of the last call
}

func startSession(cmd *exec.Cmd) (*session, error) {
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &session{cmd: cmd, in: in, lines: make(chan []byte)}
	go func() {
		defer close(s.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				s.lines <- bytes.TrimSuffix(line, []byte("\n"))
			}
			if err != nil {
				return
			}
		}
	}()
	return s, nil
}

// send sends a message, and if it asks for an answer returns that.
func (s *session) send(message []byte) ([]byte, error) {
	if _, err := s.in.Write(append(bytes.Clone(message), '\n')); err != nil {
		return nil, err
	}
	var request struct{ ID json.RawMessage }
	if json.Unmarshal(message, &request) == nil && request.ID == nil {
		return nil, nil // a notification
	}
	late := time.After(patience)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return nil, errors.New("the server ended without an answer")
			}
			var answer struct {
				JSONRPC string
				ID      json.RawMessage
			}
			if err := json.Unmarshal(line, &answer); err != nil || answer.JSONRPC != "2.0" {
				return nil, fmt.Errorf("not JSON-RPC: %q", line)
			}
			if request.ID == nil || bytes.Equal(answer.ID, request.ID) {
				return line, nil
			}
		case <-late:
			return nil, fmt.Errorf("no answer within %v to %.200s", patience, message)
		}
	}
}

func (s *session) request(method string, params any) (json.RawMessage, error) {
	s.last++
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	line, err := s.send(message)
	if err != nil {
		return nil, err
	}
	var answer struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, fmt.Errorf("%s: %s", method, answer.Error)
	}
	return answer.Result, nil
}

func (s *session) handshake() error {
	_, err := s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "mcpcall", "version": "1"},
	})
	if err == nil {
		_, err = s.send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	return err
}

// call calls a tool with its arguments as JSON, and returns the structured content in lines, or the text of a refusal.
func (s *session) call(tool, args string) (string, error) {
	if args == "" {
		args = "{}"
	}
	result, err := s.request("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(args)})
	if err != nil {
		return "", err
	}
	var answer struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return "", err
	}
	if answer.IsError {
		return "refused: " + answer.Content[0].Text, nil
	}
	var b bytes.Buffer
	err = json.Indent(&b, answer.StructuredContent, "", "  ")
	return b.String(), err
}

// close ends the input and waits for the server to end well.
func (s *session) close() error {
	if err := s.in.Close(); err != nil {
		return err
	}
	late := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	for line := range s.lines {
		return fmt.Errorf("a line that belongs to no request: %q", line)
	}
	return s.cmd.Wait()
}
