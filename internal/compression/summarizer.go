package compression

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/history"
)

// ErrNoSummarizer is returned by a strategy that needs a model if there is none.
var ErrNoSummarizer = errors.New("no model is available to write the summary")

// SummaryError is returned if a model gave no usable summary. The history is then unchanged (ERR-004).
type SummaryError struct {
	// Model is the model's name as shown to the user.
	Model string
	Err   error
}

func (e *SummaryError) Error() string {
	return fmt.Sprintf("no summary by %s: %v. To compress without a model, run: /set compression-strategy %s", e.Model, e.Err, DefaultName)
}

// Unwrap returns the cause.
func (e *SummaryError) Unwrap() error { return e.Err }

// ask requests a summary of a part of the history from the model. Errors are *SummaryError, unless ctx
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

var anyTag = lazyregexp.New(`<[^<>]*>`)

// snapshotOf returns the snapshot in an answer, without the text around it.
func snapshotOf(answer string) (string, error) {
	start, end := strings.Index(answer, snapshotOpen), strings.LastIndex(answer, snapshotClose)
	switch {
	case strings.TrimSpace(answer) == "":
		return "", errors.New("the answer is empty")
	case start < 0:
		return "", errors.New("the answer contains no " + snapshotOpen)
	case end < start:
		return "", errors.New("the answer ends before " + snapshotClose)
	}
	snapshot := answer[start : end+len(snapshotClose)]
	if strings.TrimSpace(anyTag.ReplaceAllString(snapshot, "")) == "" {
		return "", errors.New("the answer contains an empty " + snapshotOpen)
	}
	return snapshot, nil
}

// metaSummarized is the metadata key that makes an entry the summary of other entries. Its value is the
// number of entries summarized.
const metaSummarized = "summarisedEntries"

func isSummaryOfEntries(c *history.Content) bool {
	n, _ := history.MetaOf[int](c, metaSummarized)
	return n > 0
}

// summarizePart replaces a part of the history by one entry with a summary by the model (D-34, D-35). An
// unusable answer is an error. An answer that frees nothing is a no-op. Its reason contains the cost of
// the answer.
func summarizePart(ctx context.Context, s Strategy, c Context, part span) (Result, error) {
	replaced := c.replacedTokens(part)
	switch {
	case replaced == 0:
		return noop(s, c, reasonNothing), nil
	case replaced*worthwhile < c.Total()-c.Overhead:
		return noop(s, c, reasonLittle), nil
	case c.Summarizer == nil:
		return Result{}, fmt.Errorf("%s: %w. To compress without a model, run: /set compression-strategy %s", s.Name(), ErrNoSummarizer, DefaultName)
	}
	snapshot, answer, err := c.ask(ctx, part)
	if err != nil {
		return Result{}, err
	}
	n := part.to - part.from
	summary := history.HumanText(c.summaryText(n, snapshot)).WithMeta(history.MetaSummary, true).WithMeta(metaSummarized, n)
	entries := c.withSummary(part, summary)
	size := c.Count(entries[part.from])
	result := noop(s, c, fmt.Sprintf("the summary by %s has %d tokens, and would replace %d; the request for it took %d tokens",
		c.Summarizer.Name, size, replaced, answer.PromptTokens+answer.CompletionTokens))
	if size < replaced {
		result.apply(entries, c.Total()-replaced+size)
		result.Tail = len(c.History) - part.to
		result.Metadata.TopPreserved, result.Metadata.MiddleCompressed, result.Metadata.BottomPreserved = part.from, n, result.Tail
	}
	result.Metadata.LLMCallMade = true
	return result, nil
}

// worthwhile is the inverse of the smallest share of a conversation that a summary must replace: 10 means
// a tenth. A summary costs time and money, and would be due again at once if the tail fills the window.
const worthwhile = 10

// replacedTokens returns the tokens of the entries that a summary would represent.
func (c Context) replacedTokens(part span) int {
	total := 0
	for _, tokens := range c.Tokens[part.from:part.to] {
		total += tokens
	}
	if kept := c.latestSaid(part); kept >= 0 {
		total -= c.Tokens[kept]
	}
	return total
}

// latestSaid returns the index of the user's latest message in the history, or −1 if the message is not
// in the part.
func (c Context) latestSaid(part span) int {
	last := len(c.History) - 1
	for last >= 0 && (!isSpoken(c.History[last]) || isSummaryOfEntries(c.History[last]) || c.History[last].Metadata[history.MetaRestored] != nil) {
		last--
	}
	if last < part.from || last >= part.to {
		return -1
	}
	return last
}

// summaryText returns the text for the model that replaces n entries.
func (c Context) summaryText(n int, snapshot string) string {
	text := fmt.Sprintf("[Summary of %s of this conversation, written by %s]\n\n%s", humanize.Count(n, "earlier entry"), c.Summarizer.Name, snapshot)
	if c.TranscriptPath != "" {
		// A fork copies this summary, and may outlive the session in which it was written.
		text += "\n\nEvery session forked from this one keeps the full transcript that this summary replaces; here it is recorded in " + c.TranscriptPath + "."
	}
	return text
}
