package worker

// This file defines the child's side.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"syscall"

	"docket/ingest/format"
)

// Serve is the whole program of the child: it answers requests from in on out until in ends. It takes the process for its own: it
// lowers the process's limits where the system allows and ignores the signals that a terminal sends to a group, since a
// document must not be blamed for a Ctrl-C. It returns as soon as in ends, even while a document is being parsed; the
// caller must then end the process, and nothing else may be written to out.
func Serve(in io.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	limitSelf()
	p := &parser{}
	return serve(in, out, p.answer)
}

type job struct {
	request
	data []byte
}

// serve reads requests in a goroutine of their own, so that the end of in is seen while answer runs.
func serve(in io.Reader, out io.Writer, answer func(request, []byte) reply) error {
	jobs, ended := make(chan job), make(chan error, 1)
	go func() {
		r := bufio.NewReader(in)
		for {
			j, err := readJob(r)
			if err != nil {
				ended <- err
				return
			}
			jobs <- j
		}
	}()
	w := bufio.NewWriter(out)
	for {
		select {
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("reading a request: %w", err)
		case j := <-jobs:
			done := make(chan reply, 1)
			go func() { done <- guarded(answer, j) }()
			select {
			case <-ended:
				return nil // whoever asked is gone
			case rep := <-done:
				if err := writeJSON(w, rep); err != nil {
					return fmt.Errorf("answering: %w", err)
				}
				if err := w.Flush(); err != nil {
					return fmt.Errorf("answering: %w", err)
				}
			}
		}
	}
}

// guarded makes a parser's panic an answer.
func guarded(answer func(request, []byte) reply, j job) (rep reply) {
	defer func() {
		if r := recover(); r != nil {
			rep = reply{Error: fmt.Sprintf("the parser broke down: %v", r)}
		}
	}()
	return answer(j.request, j.data)
}

func readJob(r io.Reader) (j job, err error) {
	head, err := readFrame(r, 1<<20)
	if err != nil {
		return j, err
	}
	if err := json.Unmarshal(head, &j.request); err != nil {
		return j, err
	}
	if j.Op == opParse {
		j.data, err = readFrame(r, maxRequest)
	}
	return j, err
}

// A parser keeps what lasts from one document to the next: the compiled PDF reader.
type parser struct{ pdf *format.PDFReader }

func (p *parser) answer(req request, data []byte) reply {
	if p.pdf == nil {
		p.pdf = format.NewPDFReader(req.CacheDir, req.Limits)
	}
	if req.Op == opWarm {
		if err := p.pdf.Start(); err != nil {
			return reply{Error: err.Error()}
		}
		return reply{Notice: p.pdf.Notice()}
	}
	doc, err := p.parse(req, data)
	if err != nil {
		return reply{Error: err.Error(), Encrypted: errors.Is(err, format.ErrEncrypted)}
	}
	return reply{Document: doc}
}

func (p *parser) parse(req request, data []byte) (*format.Document, error) {
	switch kind := format.Foreign(req.Name, data); kind {
	case "pdf":
		return p.pdf.Parse(context.Background(), data)
	case "docx":
		return format.ParseDOCX(data, req.Limits)
	case "html":
		return format.ParseHTML(data, req.Limits)
	}
	return nil, fmt.Errorf("no parser for such a file (%s)", path.Ext(req.Name))
}
