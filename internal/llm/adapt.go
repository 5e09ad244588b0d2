package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"

	"agent/internal/pattern"
)

// Dialect is how an endpoint wants to be asked, where that differs from the
// default. The zero value is the default.
type Dialect struct {
	// OmitUsage leaves stream_options out: then there are no usage numbers, which
	// is better than no reply.
	OmitUsage bool
	// Reasoning is the member in which every message with calls must bring its
	// reasoning back, or reasoningRefused.
	Reasoning string
	// OmitSummary leaves out the wish for summaries of reasoning, which some accounts
	// and models do not get.
	OmitSummary bool
	// OmitCache leaves out everything about the prompt cache.
	OmitCache bool
	// API is the format that the endpoint wants for the model.
	API API
	// Signatures says that calls need thought signatures: signaturesOfOthers or
	// signaturesMissing.
	Signatures string
}

const (
	// reasoningRefused: what is attached to reasoning must not be sent.
	reasoningRefused = "refused"
	// signaturesMissing: a call without a signature gets the one that says so.
	signaturesMissing = "missing"
	// signaturesOfOthers: the signatures that came from here are not good, so all
	// calls get that one.
	signaturesOfOthers = "of others"
)

// Adapt wraps p so that a refusal that names what the endpoint wants otherwise is
// learned from: the request goes out again at once in the other dialect, and so do
// all later ones to the same model. Every lesson is learned once; a refusal that teaches nothing new
// is passed on.
func Adapt(p Provider) Provider { return &adapting{provider: p, learned: map[string]Dialect{}} }

type adapting struct {
	provider Provider

	mu sync.Mutex
	// learned is by model: a router has endpoints of many kinds behind it.
	learned map[string]Dialect
}

// lesson is a refusal and the dialect it teaches.
type lesson struct {
	// words identify the refusal.
	words *pattern.Pattern
	learn func(d *Dialect, refusal string)
}

var lessons = []lesson{
	{pattern.New(`stream_options`), func(d *Dialect, _ string) { d.OmitUsage = true }},
	{pattern.New(`prompt_cache|cache_control|session_id`), func(d *Dialect, _ string) { d.OmitCache = true }},
	{pattern.New(`v1/responses`), func(d *Dialect, _ string) { d.API = APIResponses }},
	{pattern.New(`reasoning.summar`), func(d *Dialect, _ string) { d.OmitSummary = true }},
	{pattern.New(`thought.signature`), func(d *Dialect, refusal string) {
		d.Signatures = signaturesMissing
		if badSignature.MatchString(refusal) {
			d.Signatures = signaturesOfOthers
		}
	}},
	{pattern.New(`encrypted.content|signature.{0,40}thinking|thinking.{0,40}signature|reasoning_details`), func(d *Dialect, _ string) { d.Reasoning = reasoningRefused }},
	{pattern.New(fieldReasoningContent + "|[`'\"]" + fieldReasoning + "[`'\"]"), func(d *Dialect, refusal string) {
		switch {
		case d.Reasoning != "", unknownField.MatchString(refusal):
			d.Reasoning = reasoningRefused
		case strings.Contains(refusal, fieldReasoningContent):
			d.Reasoning = fieldReasoningContent
		default:
			d.Reasoning = fieldReasoning
		}
	}},
}

var (
	// badSignature and unknownField tell a refusal of what was sent from a demand
	// for what was not.
	badSignature = pattern.New(`corrupt|invalid|not valid`)
	unknownField = pattern.New(`unsupported|not (?:permitted|supported|allowed)|unrecognized|unknown|unexpected|extra`)
)

// Stream implements Provider.
func (a *adapting) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for {
			req.Dialect = a.dialect(req.Model)
			if !a.ask(ctx, req, yield) {
				return
			}
		}
	}
}

// ask streams one reply. It reports whether the request was refused in a way that
// taught something; then nothing but pulses has been yielded.
func (a *adapting) ask(ctx context.Context, req Request, yield func(Chunk, error) bool) (taught bool) {
	begun := false
	for chunk, err := range a.provider.Stream(ctx, req) {
		if err != nil && !begun && ctx.Err() == nil && a.teaches(req, err) {
			return true
		}
		if _, pulse := chunk.(Pulse); !pulse {
			begun = true
		}
		if !yield(chunk, err) {
			return false
		}
	}
	return false
}

// teaches learns from a refusal. Another request may have learned the same in the
// meantime: what counts is whether it is news to the dialect that was used.
func (a *adapting) teaches(req Request, err error) bool {
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != BadRequest {
		return false
	}
	refusal := strings.ToLower(failure.Message)
	for _, l := range lessons {
		if !l.words.MatchString(refusal) {
			continue
		}
		wanted := req.Dialect
		if l.learn(&wanted, refusal); wanted != req.Dialect {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.learned[req.Model] = wanted
			return true
		}
	}
	return false
}

func (a *adapting) dialect(model string) Dialect {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.learned[model]
}
