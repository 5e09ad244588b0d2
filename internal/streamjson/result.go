package streamjson

import (
	"encoding/json"
	"errors"
	"time"

	"agent/internal/chat"
	"agent/internal/llm"
)

// A Result is the JSON object that ends a non-interactive run.
type Result struct {
	SessionID string `json:"sessionId"`
	Response  string `json:"response"`
	// Output is the answer in the form of --output-schema. It is omitted without that flag.
	Output json.RawMessage `json:"output,omitempty"`
	// Cut is the reason why the response is incomplete: "length" or "content_filter". It is omitted if the
	// response is complete.
	Cut       string       `json:"cut,omitempty"`
	Exit      int          `json:"exit"`
	Turns     int          `json:"turns"`
	ToolCalls int          `json:"toolCalls"`
	Usage     Usage        `json:"usage"`
	Context   ContextUsage `json:"context"`
	// Agents holds the figures of the subagents. Turns, ToolCalls, Usage and CostUSD do not include them.
	// Agents is omitted if there were none.
	Agents *AgentsResult `json:"agents,omitempty"`
	// Changed is omitted if no file was changed.
	Changed *FileChanges `json:"changed,omitempty"`
	// Searches counts web searches. It is omitted if there were none.
	Searches int `json:"searches,omitempty"`
	// CostUSD is omitted if no price is known.
	CostUSD    float64 `json:"costUSD,omitempty"`
	DurationMs int64   `json:"durationMs"`
	Error      string  `json:"error,omitempty"`
	// RetryAfter is the time, in seconds, after which the provider accepts requests again. It is omitted if
	// the provider does not report it.
	RetryAfter int `json:"retry_after,omitempty"`
	// Setup lists the parts of the configuration that were not used. It is omitted if all were used.
	Setup *Setup `json:"setup,omitempty"`
}

// Setup lists the parts of the configuration that a run did not use.
type Setup struct {
	// Waiting lists items that need approval, such as "server github (.mcp.json)". Refused lists items that
	// the user declined. Ignored lists settings that a repository may not set.
	Waiting []string `json:"waiting,omitempty"`
	Refused []string `json:"refused,omitempty"`
	Ignored []string `json:"ignored,omitempty"`
	// Failed lists the servers that could not be reached and the parts of the configuration that are
	// invalid, with the reasons.
	Failed []string `json:"failed,omitempty"`
}

// AgentsResult sums the figures of the subagents of a run.
type AgentsResult struct {
	Count   int     `json:"count"`
	Turns   int     `json:"turns"`
	Usage   Usage   `json:"usage"`
	CostUSD float64 `json:"costUSD,omitempty"`
}

// Usage sums the tokens that the provider reported.
type Usage struct {
	PromptTokens     int `json:"promptTokens"`
	CompletionTokens int `json:"completionTokens"`
	CachedTokens     int `json:"cachedTokens"`
	CacheWriteTokens int `json:"cacheWriteTokens"`
	// ThinkingTokens is the part of CompletionTokens that is reasoning. It is omitted if the provider does
	// not report it.
	ThinkingTokens int `json:"thinkingTokens,omitempty"`
}

// ContextUsage describes the context window after the run, in tokens.
type ContextUsage struct {
	Tokens       int `json:"tokens"`
	Limit        int `json:"limit"`
	DensityFreed int `json:"densityFreed"`
	Compressions int `json:"compressions"`
	// SavedTokens and SavedUSD are the savings of pruning in the session, compared with sending everything.
	// They are omitted if the strategy has no cost accounting or no price is known.
	SavedTokens int     `json:"savedTokens,omitempty"`
	SavedUSD    float64 `json:"savedUSD,omitempty"`
}

// LoadedSetup lists, by name, the parts of the configuration that a run starts with.
type LoadedSetup struct {
	Servers  []LoadedServer `json:"servers"`
	Skills   []string       `json:"skills"`
	Commands []string       `json:"commands"`
	Hooks    []string       `json:"hooks"`
}

// A LoadedServer describes an MCP server: its state, and the reason why it is not used.
type LoadedServer struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// Run holds the parts of a Result that do not come from events.
type Run struct {
	SessionID string
	Outcome   chat.Outcome
	// Output is the answer in the form of the schema, or nil for none.
	Output   json.RawMessage
	Err      error
	Exit     int
	Stats    chat.Stats
	Status   chat.Status
	Duration time.Duration
	Setup    *Setup
	// Changed is nil if no file was changed.
	Changed *FileChanges
}

// Answer returns the answer in the form of the schema if there is one. Otherwise it returns the text of the
// answer.
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
			ThinkingTokens:   r.Stats.ThinkingTokens,
		},
		Context: ContextUsage{
			Tokens:       r.Status.Tokens,
			Limit:        r.Status.Limit,
			DensityFreed: r.Status.Freed,
			Compressions: r.Stats.Compressions,
			SavedTokens:  r.Stats.Saving.Tokens,
			SavedUSD:     r.Stats.Saving.Cost,
		},
		Agents:     agentsOf(r.Stats.Agents),
		Searches:   r.Stats.Searches,
		CostUSD:    r.Stats.Cost,
		DurationMs: r.Duration.Milliseconds(),
		Setup:      r.Setup,
		Changed:    r.Changed,
	}
	if r.Err != nil {
		result.Error = r.Err.Error()
		if refused, is := errors.AsType[*llm.Error](r.Err); is {
			result.RetryAfter = int((refused.RetryAfter + time.Second - 1) / time.Second)
		}
	}
	return result
}

// agentsOf returns the figures of the subagents, or nil if there were none.
func agentsOf(s chat.AgentStats) *AgentsResult {
	if s.Agents == 0 {
		return nil
	}
	return &AgentsResult{Count: s.Agents, Turns: s.Requests, Usage: Usage(s.UsageReported), CostUSD: s.Cost}
}
