package compression

import (
	"context"
	"math"

	"agent/internal/history"
	"agent/internal/todo"
)

// A Strategy is one way to compress a history. Strategies are values without state. A strategy that
// also prunes before every request implements Optimizer as well. Callers test for the interface, never
// for the name.
type Strategy interface {
	// Name returns the name of the strategy in settings.
	Name() string
	// RequiresLLM reports whether Compress calls a model.
	RequiresLLM() bool
	// Trigger returns the conditions under which the strategy acts (REQ-HD-001.1).
	Trigger() Trigger
	// Compress returns a shorter history, or the reason why there is none. It never changes its
	// input, and the result is valid (history.Validate) if the input was. The caller shows
	// errors; no other strategy is tried instead (REQ-HD-013.4).
	Compress(ctx context.Context, c Context) (Result, error)
}

// TriggerMode is whether a strategy waits for the threshold.
type TriggerMode string

// The trigger modes.
const (
	// TriggerThreshold means that the strategy acts only once the threshold is reached.
	TriggerThreshold TriggerMode = "threshold"
	// TriggerContinuous means that the strategy also optimizes before every request.
	TriggerContinuous TriggerMode = "continuous"
)

// Trigger describes when a strategy acts.
type Trigger struct {
	Mode TriggerMode
	// DefaultThreshold is the share of the context limit at which Compress runs, if no setting
	// overrides it (D-04).
	DefaultThreshold float64
}

// defaultThreshold is the threshold of every strategy (D-04, REQ-HD-001.3).
const defaultThreshold = 0.85

// DefaultName is the strategy used when no setting names one (D-05).
const DefaultName = "high-density"

// Context contains the history that a strategy compresses, and the limits for it. It is read only.
type Context struct {
	// History is the curated history.
	History []*history.Content
	// Tokens contains the size of each entry of History in tokens.
	Tokens []int
	// Count returns the tokens of an entry that a strategy writes.
	Count func(*history.Content) int
	// Overhead is the size of the rest of a request in tokens: the system prompt and the tool
	// schemas (D-07).
	Overhead int
	// ContextLimit is the model's context window in tokens, and Reserve the part of it kept free for
	// the reply (D-08).
	ContextLimit, Reserve int
	// Threshold is the share of the context window at which compression is due (see Trigger).
	Threshold float64
	// PreserveThreshold is the share of entries at the end that are kept unchanged (D-25).
	PreserveThreshold float64
	// TopPreserveThreshold is the share of entries at the beginning that middle-out keeps unchanged
	// (D-34).
	TopPreserveThreshold float64
	// Facts returns the traits of tools, such as the parameter that describes a call.
	Facts TraitsLookup

	// The following fields are for strategies that call a model. Others ignore them (REQ-HD-011.4).

	// Summarizer is the model that writes summaries, or nil if there is none.
	Summarizer *Summarizer
	// ActiveTodos is the todo list (REQ-HD-011.1).
	ActiveTodos todo.List
	// TranscriptPath is the file that contains the whole conversation, or "" if there is none
	// (REQ-HD-012.1).
	TranscriptPath string
}

// Trigger returns the total at which a compression is due: the threshold's share of the context window,
// or the window without the reserve if that is less (D-40).
func (c Context) Trigger() int { return int(c.trigger()) }

func (c Context) trigger() float64 {
	return min(c.Threshold*float64(c.ContextLimit), float64(c.ContextLimit-c.Reserve))
}

// headroom is the share of the room below the trigger that may be filled after a compression. So the
// next compression is not due at once (REQ-HD-008.6).
const headroom = 0.6

// Target returns the total that a compression aims for, overhead included (D-40, REQ-HD-008.6).
// It is below the trigger.
func (c Context) Target() int {
	overhead := float64(c.Overhead)
	return min(int(overhead+headroom*(c.trigger()-overhead)), c.Trigger()-1)
}

// Total returns the size of a request with this history, in tokens.
func (c Context) Total() int {
	total := c.Overhead
	for _, tokens := range c.Tokens {
		total += tokens
	}
	return total
}

// tailSize returns how many of n entries are kept unchanged, at least one (D-25).
func tailSize(n int, preserve float64) int {
	return max(1, topSize(n, preserve))
}

// topSize returns how many of n entries are kept at the beginning (D-34).
func topSize(n int, preserve float64) int {
	if math.IsNaN(preserve) || preserve <= 0 {
		return 0
	}
	return int(math.Ceil(float64(n) * min(preserve, 1)))
}

// Result contains a compressed history, or the reason why there is none.
type Result struct {
	// Applied is false for a no-op. NewHistory is then the unchanged history (D-28).
	Applied bool
	// Reason is why nothing was done. It is "" if Applied is set.
	Reason string
	// NewHistory replaces the whole history. Unchanged entries are the same pointers.
	NewHistory []*history.Content
	Metadata   ResultMetadata
	// TokensBefore and TokensAfter are sizes of the whole request in tokens (D-07).
	TokensBefore, TokensAfter int
	// Tail is the number of entries kept unchanged at the end, for a strategy that keeps a tail (D-42).
	Tail int
}

// ResultMetadata describes a compression (REQ-HD-008.5).
type ResultMetadata struct {
	OriginalMessageCount   int    `json:"originalMessageCount"`
	CompressedMessageCount int    `json:"compressedMessageCount"`
	StrategyUsed           string `json:"strategyUsed"`
	LLMCallMade            bool   `json:"llmCallMade"`
	// TopPreserved and BottomPreserved are the numbers of entries kept at both ends.
	// MiddleCompressed is the number of entries that the summary between them represents.
	TopPreserved     int `json:"topPreserved,omitzero"`
	BottomPreserved  int `json:"bottomPreserved,omitzero"`
	MiddleCompressed int `json:"middleCompressed,omitzero"`
}

// The reasons for a no-op (D-28).
const (
	reasonEmpty     = "the history is empty"
	reasonTail      = "compression keeps the latest messages, and there are no others"
	reasonNothing   = "nothing to compress"
	reasonAtTarget  = "the conversation is already small enough"
	reasonUnchanged = "nothing new since the last compression"
	reasonBetween   = "compression keeps the first and the latest messages, and fewer than four are between them"
	reasonLittle    = "a summary could replace less than a tenth of the conversation"
)

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

// localResult returns the result of a strategy that made the history shorter without calling a model. A
// change that frees no tokens is a no-op (D-28).
func localResult(s Strategy, c Context, entries []*history.Content, total int) Result {
	result := noop(s, c, reasonNothing)
	if total < result.TokensBefore {
		result.apply(entries, total)
	}
	return result
}

// apply sets the shorter history in a result that was a no-op.
func (r *Result) apply(entries []*history.Content, total int) {
	r.Applied, r.Reason, r.NewHistory, r.TokensAfter = true, "", entries, total
	r.Metadata.CompressedMessageCount = len(entries)
}

// A Summarizer is a model that writes summaries for strategies.
type Summarizer struct {
	// Name is the model's name as shown to the user.
	Name string
	// Prompt is the system message that describes the summary to write (D-37).
	Prompt string
	// Count counts tokens as the model does. Room is the greatest size of a request in tokens: the
	// model's context window without the reserve for its answer.
	Count func(text string) int
	Room  int
	// Ask sends one request and returns the whole answer.
	Ask func(ctx context.Context, system, text string) (Answer, error)
}

// An Answer is the text that a Summarizer wrote, and its cost in tokens. The cost is zero if the
// provider does not report it.
type Answer struct {
	Text                           string
	PromptTokens, CompletionTokens int
}
