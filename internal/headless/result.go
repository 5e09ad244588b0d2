package headless

import (
	"encoding/json"
	"time"

	"agent/internal/chat"
)

// Result is the JSON object that ends a headless run.
type Result struct {
	SessionID string `json:"sessionId"`
	Response  string `json:"response"`
	// Output is the answer in the form of --output-schema; left out without one.
	Output json.RawMessage `json:"output,omitempty"`
	// Cut says why the response is not complete: "length" or "content_filter"; left out
	// when it is.
	Cut       string  `json:"cut,omitempty"`
	Exit      int     `json:"exit"`
	Turns     int     `json:"turns"`
	ToolCalls int     `json:"toolCalls"`
	Usage     Usage   `json:"usage"`
	Context   Context `json:"context"`
	// Changed is left out where no file was changed.
	Changed *Changed `json:"changed,omitempty"`
	// CostUSD is left out where no price is known.
	CostUSD    float64 `json:"costUSD,omitempty"`
	DurationMs int64   `json:"durationMs"`
	Error      string  `json:"error,omitempty"`
	// Setup is what of the set-up was not used; left out where all was.
	Setup *Setup `json:"setup,omitempty"`
}

// Setup is what of a set-up a run did without.
type Setup struct {
	// Waiting needs a yes, as in "server github (.mcp.json)"; Refused got a no; Ignored is
	// nothing that a repository may set.
	Waiting []string `json:"waiting,omitempty"`
	Refused []string `json:"refused,omitempty"`
	Ignored []string `json:"ignored,omitempty"`
	// Failed are the servers that could not be asked and what cannot be used as it is
	// written, and why.
	Failed []string `json:"failed,omitempty"`
}

// Usage sums what the provider reported, in tokens.
type Usage struct {
	PromptTokens     int `json:"promptTokens"`
	CompletionTokens int `json:"completionTokens"`
	CachedTokens     int `json:"cachedTokens"`
	CacheWriteTokens int `json:"cacheWriteTokens"`
}

// Context is the state of the window after the run, in tokens.
type Context struct {
	Tokens       int `json:"tokens"`
	Limit        int `json:"limit"`
	DensityFreed int `json:"densityFreed"`
	Compressions int `json:"compressions"`
	// SavedTokens and SavedUSD are what pruning has saved in the session against sending
	// everything; left out where the strategy keeps no account, or no price is known.
	SavedTokens int     `json:"savedTokens,omitempty"`
	SavedUSD    float64 `json:"savedUSD,omitempty"`
}

// Loaded is what a run begins with of a set-up, by name.
type Loaded struct {
	Servers  []LoadedServer `json:"servers"`
	Skills   []string       `json:"skills"`
	Commands []string       `json:"commands"`
	Hooks    []string       `json:"hooks"`
}

// LoadedServer is a server, its state, and why it is not used.
type LoadedServer struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// Run is what the result needs to know besides the events.
type Run struct {
	SessionID string
	Outcome   chat.Outcome
	// Output is the answer in the form that was asked for, nil for none.
	Output   json.RawMessage
	Err      error
	Exit     int
	Stats    chat.Stats
	Status   chat.Status
	Duration time.Duration
	Setup    *Setup
	// Changed is nil where no file was changed.
	Changed *Changed
}

// Answer is what the run was for: the answer in the form that was asked for, else its text.
func (r Run) Answer() string {
	if r.Output != nil {
		return string(r.Output)
	}
	return r.Outcome.Response
}

func (r Run) result() Result {
	result := Result{
		SessionID: r.SessionID,
		Response:  r.Outcome.Response,
		Output:    r.Output,
		Cut:       r.Outcome.Cut,
		Exit:      r.Exit,
		Turns:     r.Outcome.Requests,
		ToolCalls: r.Outcome.ToolCalls,
		Usage: Usage{
			PromptTokens:     r.Stats.PromptTokens,
			CompletionTokens: r.Stats.CompletionTokens,
			CachedTokens:     r.Stats.CachedTokens,
			CacheWriteTokens: r.Stats.CacheWriteTokens,
		},
		Context: Context{
			Tokens:       r.Status.Tokens,
			Limit:        r.Status.Limit,
			DensityFreed: r.Status.Freed,
			Compressions: r.Stats.Compressions,
			SavedTokens:  r.Stats.Saving.Tokens,
			SavedUSD:     r.Stats.Saving.Cost,
		},
		CostUSD:    r.Stats.Cost,
		DurationMs: r.Duration.Milliseconds(),
		Setup:      r.Setup,
		Changed:    r.Changed,
	}
	if r.Err != nil {
		result.Error = r.Err.Error()
	}
	return result
}
