package mcp

// This file defines the resources docket://review, what needs a review, and docket://impact/…, what rests on a thing.

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docket/db"
	"docket/trace"
)

const (
	reviewURI = "docket://review"
	impactURI = "docket://impact/"
)

// reviewCheck is how often it is looked whether the review has changed, while somebody has subscribed to it.
const reviewCheck = time.Second

// How much the resources show; the tools have pages.
const (
	reviewShown = 20
	impactShown = 100
)

func (s *Server) addReviewResources() {
	s.sdk.AddResource(&sdk.Resource{
		URI: reviewURI, Name: "review", Title: "Decisions for review", MIMEType: "application/json",
		Description: "The decisions that cannot be relied on just now, worst first, with the reasons. Subscribe to be told when it changes.",
	}, s.readTrace)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: impactURI + "{target}", Name: "impact", Title: "Impact", MIMEType: "application/json",
		Description: "What rests on a document, a passage or a decision, by document key, evidence id or decision id. Read it before you change one.",
	}, s.readTrace)
}

// readTrace is never reached: every reading goes through the server's middleware. The SDK wants a handler all the same.
func (s *Server) readTrace(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c, err := s.resource(ctx, req.Params.URI)
	if err != nil {
		return nil, s.resourceError(req.Params.URI, err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

// traceResource returns what stands behind a URI of this file. ok is false for any other URI, and where traces are not offered.
func (s *Server) traceResource(ctx context.Context, uri string) (_ *sdk.ResourceContents, ok bool, _ error) {
	target, isImpact := strings.CutPrefix(uri, impactURI)
	if !s.tracing() || uri != reviewURI && !isImpact {
		return nil, false, nil
	}
	var v any
	var err error
	if isImpact {
		if plain, err := url.PathUnescape(target); err == nil {
			target = plain
		}
		v, err = trace.Impact(ctx, s.db, s.identity(), trace.ImpactParams{Target: target, Limit: impactShown})
	} else {
		v, err = trace.ListDecisionsForReview(ctx, s.db, s.identity(), trace.ListReviewParams{Limit: reviewShown})
	}
	if err != nil {
		if e, ok := errors.AsType[*trace.Error](err); ok && slices.Contains([]string{trace.CodeNotFound, trace.CodeDecisionNotFound, trace.CodeInvalid}, e.Code) {
			err = db.ErrNotFound
		}
		return nil, true, err
	}
	b, err := marshal(v)
	if err != nil {
		return nil, true, err
	}
	return &sdk.ResourceContents{URI: uri, MIMEType: "application/json", Text: string(b)}, true, nil
}

// A subscription is the client's to the review.
type subscription struct {
	mu    sync.Mutex
	count int    // how often it subscribed
	mark  string // of the review as it was told of last
}

// subscribe accepts subscriptions to the review.
func (s *Server) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	if req.Params.URI != reviewURI {
		return s.resourceError(req.Params.URI, db.ErrNotFound)
	}
	mark, err := trace.ReviewMark(ctx, s.db, s.identity())
	if err != nil {
		return s.resourceError(reviewURI, err)
	}
	s.review.mu.Lock()
	defer s.review.mu.Unlock()
	if s.review.count++; s.review.count == 1 {
		s.review.mark = mark
	}
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.review.mu.Lock()
	defer s.review.mu.Unlock()
	if req.Params.URI == reviewURI {
		s.review.count = max(s.review.count-1, 0)
	}
	return nil
}

// watchReview tells a subscriber when the review has changed, whichever process changed it. The function it returns ends that, and waits.
func (s *Server) watchReview(ctx context.Context) (stop func()) {
	if !s.tracing() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		look := time.NewTicker(reviewCheck)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
			changed, err := s.reviewChanged(ctx)
			if err == nil && changed {
				err = s.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: reviewURI})
			}
			if err != nil && ctx.Err() == nil {
				s.log.Warn("telling of changes of the review", "error", err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// reviewChanged reports whether the review is another than the subscriber knows of.
func (s *Server) reviewChanged(ctx context.Context) (bool, error) {
	s.review.mu.Lock()
	subscribed := s.review.count > 0
	s.review.mu.Unlock()
	if !subscribed {
		return false, nil
	}
	mark, err := trace.ReviewMark(ctx, s.db, s.identity())
	if err != nil {
		return false, err
	}
	s.review.mu.Lock()
	defer s.review.mu.Unlock()
	changed := s.review.count > 0 && mark != s.review.mark
	s.review.mark = mark
	return changed, nil
}
