package compression

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agent/internal/pattern"
)

// Summarizer is a model that writes summaries, for the strategies that ask one.
type Summarizer struct {
	// Name is what people know the model by.
	Name string
	// Prompt is the system message that says what to write (D-37).
	Prompt string
	// Count counts tokens as the model does, and Room is how many of them a request
	// may take: the model's window without what its answer needs.
	Count func(text string) int
	Room  int
	// Ask sends one request and returns the whole answer.
	Ask func(ctx context.Context, system, text string) (Answer, error)
}

// Answer is what a Summarizer wrote, and what it cost in tokens; zero where the
// provider does not say.
type Answer struct {
	Text                           string
	PromptTokens, CompletionTokens int
}

// ErrNoSummarizer is the answer of a strategy that asks a model where there is none.
var ErrNoSummarizer = errors.New("there is no model to ask")

// SummaryError says why a model gave no usable summary; the history is then as it
// was (ERR-004).
type SummaryError struct {
	// Model is what people know it by.
	Model string
	Err   error
}

func (e *SummaryError) Error() string {
	return fmt.Sprintf("no summary by %s: %v; /set compression-strategy %s compresses without a model", e.Model, e.Err, DefaultName)
}

// Unwrap returns the cause.
func (e *SummaryError) Unwrap() error { return e.Err }

// ask has the part of the history summarised. Errors are *SummaryError, unless ctx
// ended.
func (c Context) ask(ctx context.Context, part span) (snapshot string, answer Answer, err error) {
	s := c.Summarizer
	text, err := c.request(part)
	if err == nil {
		answer, err = s.Ask(ctx, s.Prompt, text)
	}
	if ctx.Err() != nil {
		return "", answer, context.Cause(ctx)
	}
	if err == nil {
		snapshot, err = snapshotOf(answer.Text)
	}
	if err != nil {
		return "", answer, &SummaryError{s.Name, err}
	}
	return snapshot, answer, nil
}

// The element that a summary is.
const (
	snapshotOpen  = "<state_snapshot>"
	snapshotClose = "</state_snapshot>"
)

var anyTag = pattern.New(`<[^<>]*>`)

// snapshotOf returns the snapshot in an answer, without what is said around it.
func snapshotOf(answer string) (string, error) {
	start, end := strings.Index(answer, snapshotOpen), strings.LastIndex(answer, snapshotClose)
	switch {
	case strings.TrimSpace(answer) == "":
		return "", errors.New("the answer is empty")
	case start < 0:
		return "", errors.New("the answer holds no " + snapshotOpen)
	case end < start:
		return "", errors.New("the answer ends before " + snapshotClose)
	}
	snapshot := answer[start : end+len(snapshotClose)]
	if strings.TrimSpace(anyTag.ReplaceAllString(snapshot, "")) == "" {
		return "", errors.New("the answer is an empty " + snapshotOpen)
	}
	return snapshot, nil
}
