package compression

import (
	"context"

	"agent/internal/history"
	"agent/internal/todo"
)

// Strategy is one way to compress a history. Strategies are values without
// state. One that also makes the context denser before every request implements
// Optimizer as well; callers ask the interface, never the name.
type Strategy interface {
	// Name is what settings call the strategy.
	Name() string
	// RequiresLLM reports whether Compress asks a model.
	RequiresLLM() bool
	// Trigger says when the strategy acts (REQ-HD-001.1).
	Trigger() Trigger
	// Compress returns a shorter history, or says why there is none. It never
	// changes its input, and the result is valid (history.Validate) if the input
	// was. Errors are the caller's to show; nothing falls back to another strategy
	// (REQ-HD-013.4).
	Compress(ctx context.Context, c Context) (Result, error)
}

// TriggerMode says whether a strategy waits for the threshold.
type TriggerMode string

// The trigger modes.
const (
	// TriggerThreshold: the strategy acts only when the threshold is reached.
	TriggerThreshold TriggerMode = "threshold"
	// TriggerContinuous: the strategy also optimises before every request.
	TriggerContinuous TriggerMode = "continuous"
)

// Trigger says when a strategy acts.
type Trigger struct {
	Mode TriggerMode
	// DefaultThreshold is the share of the context limit at which Compress runs
	// when no setting says otherwise (D-04).
	DefaultThreshold float64
}

// defaultThreshold is every strategy's own threshold (D-04, REQ-HD-001.3).
const defaultThreshold = 0.85

// Context is what a strategy compresses and within which bounds. It is read
// only.
type Context struct {
	// History is the curated history.
	History []*history.Content
	// Tokens are the tokens of each entry of History, in parallel.
	Tokens []int
	// Count counts the tokens of an entry a strategy writes.
	Count func(*history.Content) int
	// Overhead is the tokens of the system prompt and the tool schemas: what a
	// request holds besides the history (D-07).
	Overhead int
	// ContextLimit is the model's window in tokens, Reserve the part of it kept free
	// for the reply (D-08).
	ContextLimit, Reserve int
	// Threshold is the share of the window at which compression is due, see Trigger.
	Threshold float64
	// PreserveThreshold is the share of entries kept as they are at the end (D-25).
	PreserveThreshold float64
	// TopPreserveThreshold is the share of entries that middle-out keeps as they are at
	// the beginning (D-34).
	TopPreserveThreshold float64
	// Facts knows the parameter that names a call.
	Facts Facts

	// What follows is for strategies that ask a model; others ignore it
	// (REQ-HD-011.4).

	// Summarizer is the model to ask, nil where there is none.
	Summarizer *Summarizer
	// ActiveTodos is the todo list (REQ-HD-011.1).
	ActiveTodos todo.List
	// TranscriptPath is the file that keeps the whole conversation, empty when none
	// does (REQ-HD-012.1).
	TranscriptPath string
}

// Trigger is the total at which a compression is due: the threshold's share of the
// window, or what the reserve leaves of it if that is less (D-40).
func (c Context) Trigger() int { return int(c.trigger()) }

func (c Context) trigger() float64 {
	return min(c.Threshold*float64(c.ContextLimit), float64(c.ContextLimit-c.Reserve))
}

// headroom is the share of the room below the trigger that a compression may leave
// filled, so that the next one is not due at once (REQ-HD-008.6).
const headroom = 0.6

// Target is the total a compression aims for, overhead included (D-40,
// REQ-HD-008.6). It is below the trigger.
func (c Context) Target() int {
	overhead := float64(c.Overhead)
	return min(int(overhead+headroom*(c.trigger()-overhead)), c.Trigger()-1)
}

// Total is the tokens of a request with this history.
func (c Context) Total() int {
	total := c.Overhead
	for _, tokens := range c.Tokens {
		total += tokens
	}
	return total
}

// Result is a compressed history, or why there is none.
type Result struct {
	// Applied is false for a no-op; NewHistory is then the history as it was (D-28).
	Applied bool
	// Reason says why nothing was done; empty when Applied.
	Reason string
	// NewHistory takes the place of the whole history. Entries that did not change
	// are the same pointers.
	NewHistory []*history.Content
	Metadata   ResultMetadata
	// TokensBefore and TokensAfter are totals in the sense of D-07.
	TokensBefore, TokensAfter int
	// Tail is how many entries at the end were kept as they are, for a strategy that
	// keeps a tail (D-42).
	Tail int
}

// ResultMetadata describes a compression (REQ-HD-008.5).
type ResultMetadata struct {
	OriginalMessageCount   int    `json:"originalMessageCount"`
	CompressedMessageCount int    `json:"compressedMessageCount"`
	StrategyUsed           string `json:"strategyUsed"`
	LLMCallMade            bool   `json:"llmCallMade"`
	// TopPreserved and BottomPreserved are how many entries were kept at both ends, and
	// MiddleCompressed how many the summary between them represents.
	TopPreserved     int `json:"topPreserved,omitzero"`
	BottomPreserved  int `json:"bottomPreserved,omitzero"`
	MiddleCompressed int `json:"middleCompressed,omitzero"`
}

// The reasons for a no-op (D-28).
const (
	reasonEmpty     = "the history is empty"
	reasonTail      = "the preserved tail covers everything"
	reasonNothing   = "there is nothing to compress"
	reasonAtTarget  = "the history is already at or below the target"
	reasonUnchanged = "nothing was added since the last compression"
	reasonBetween   = "fewer than four entries lie between the kept top and the kept tail"
	reasonLittle    = "a summary could replace less than a tenth of the conversation"
)

// noop is the result of a strategy that did nothing.
func noop(s Strategy, c Context, reason string) Result {
	total := c.Total()
	return Result{
		Reason:       reason,
		NewHistory:   c.History,
		Metadata:     ResultMetadata{OriginalMessageCount: len(c.History), CompressedMessageCount: len(c.History), StrategyUsed: s.Name()},
		TokensBefore: total,
		TokensAfter:  total,
	}
}

// applied is the result of a strategy that made the history shorter without
// asking a model. What frees no tokens is a no-op (D-28).
func applied(s Strategy, c Context, entries []*history.Content, total int) Result {
	result := noop(s, c, reasonNothing)
	if total < result.TokensBefore {
		result.apply(entries, total)
	}
	return result
}

// apply makes a shorter history of a no-op.
func (r *Result) apply(entries []*history.Content, total int) {
	r.Applied, r.Reason, r.NewHistory, r.TokensAfter = true, "", entries, total
	r.Metadata.CompressedMessageCount = len(entries)
}
