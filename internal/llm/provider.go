// Package llm defines how the program talks to a model: one small streaming interface,
// and wrappers that add retries, a watchdog, lessons and redaction to any implementation.
// Requests, chunks and errors do not depend on a wire format; package openai implements
// one.
//
// The package knows the content model and nothing of the turn loop. It never logs a key.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"agent/internal/history"
)

// Provider streams model replies. A provider that talks to a server makes one
// request for one reply; Retry, Watch, Adapt and Redact add to any provider what
// their names say. openai's testProvider tests this contract. A Provider is safe for
// concurrent use.
type Provider interface {
	// Stream sends the request and yields the reply as it arrives. The sequence
	// ends after a Finish chunk, or with one error, which is an *Error unless ctx
	// ended (then it is ctx's error). Thought, complete calls, the usage and Finish
	// come at the end, in this order. Leaving the loop early or ending ctx cancels the
	// request, and nothing of it continues afterwards. A sequence may be ranged over
	// once.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is one model request, free of any wire format.
type Request struct {
	Model   string
	System  string
	History []*history.Content
	Tools   []ToolSpec
	// Schema is the JSON Schema that the reply has to fit, nil for none. Not every server
	// enforces it.
	Schema json.RawMessage
	// MaxOutputTokens, Temperature, TopP and ReasoningEffort are sent only when set.
	MaxOutputTokens int
	Temperature     *float64
	TopP            *float64
	ReasoningEffort string
	// Replay says whether reasoning is sent back to the model it comes from.
	Replay Replay
	// Cache says what to ask of the provider's prompt cache.
	Cache Cache
	// Patience says how long to wait and how often to try; nil means DefaultPatience.
	Patience *Patience
}

// ToolSpec describes a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the parameters object.
	Schema json.RawMessage
	// Free is the form of the tool for models that write its argument as plain text; nil
	// if it has none.
	Free *FreeForm
}

// FreeForm describes a tool whose argument is a plain text instead of JSON.
type FreeForm struct {
	// Parameter is the name of the text where the tool is offered as a function.
	Parameter   string
	Description string
	// Grammar is the grammar of the text, in the format of Lark.
	Grammar string
}

// Chunk is a part of a reply: Text, Reasoning, WasThinking, ToolCallStarted, Thought, ToolCall,
// Usage, Finish, Retrying (from Retry), Adapted (from Adapt) or Pulse (for Watch).
type Chunk interface{ chunk() }

// Pulse is a sign of life that is not part of the reply: a keep-alive, an event without
// content or, with Token, a piece of a call's arguments. Watch removes pulses.
type Pulse struct{ Token bool }

// Text is a piece of the answer.
type Text struct{ Delta string }

// Reasoning is a piece of the model's thinking.
type Reasoning struct{ Delta string }

// WasThinking says that all Text so far was the model's thinking. It is sent when the end
// of the thinking was marked and its beginning was not.
type WasThinking struct{}

// Thought comes once after the Reasoning of a reply, with what the provider
// attached to it.
type Thought struct{ Attached *history.Attached }

// ToolCallStarted says that the model has begun a call; its arguments are still
// arriving. The complete calls come in the same order.
type ToolCallStarted struct{ Name string }

// ToolCall is one complete call, assembled from its fragments. Arguments that are not a
// JSON object are passed on unchanged; the turn loop answers them with a tool error. Calls
// arrive in the model's order, before Finish.
type ToolCall struct {
	ID, Name  string
	Arguments string
	// Cut is set when the reply reached the output limit within the call.
	Cut bool
	// Attached is what the provider attached to the call, nil if nothing.
	Attached *history.Attached
}

// Usage is the provider's report of what the request cost, in tokens.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// CachedTokens is the part of PromptTokens read from the provider's cache.
	CachedTokens int
	// CacheWriteTokens is the part of PromptTokens written to the cache, where providers
	// charge for that.
	CacheWriteTokens int
}

// Retrying announces another attempt (see Retry).
type Retrying struct {
	// Attempt is the number of the attempt that follows, from 2.
	Attempt int
	Delay   time.Duration
	// Where and Reason are the Where and the Message of the failure.
	Where, Reason string
	// Discard means that the deltas of this reply so far are void: the next attempt starts
	// over.
	Discard bool
}

// Adapted comes before a reply when the endpoint has refused a part of the request and was
// asked again without it. Note says so to a person.
type Adapted struct{ Note string }

// Finish ends a complete reply. Reason is the provider's: stop, tool_calls,
// length, content_filter.
type Finish struct{ Reason string }

func (Pulse) chunk()           {}
func (Text) chunk()            {}
func (Reasoning) chunk()       {}
func (WasThinking) chunk()     {}
func (Thought) chunk()         {}
func (ToolCallStarted) chunk() {}
func (ToolCall) chunk()        {}
func (Usage) chunk()           {}
func (Retrying) chunk()        {}
func (Adapted) chunk()         {}
func (Finish) chunk()          {}

// Replay says whether reasoning is sent back to the model it comes from.
type Replay string

// The values of Replay.
const (
	// ReplayAuto, also "", sends it where the vendor is known to want it, and once the
	// endpoint has asked for it.
	ReplayAuto   Replay = "auto"
	ReplayAlways Replay = "always"
	ReplayNever  Replay = "never"
)

// CachePolicy says whether the provider is asked to keep the prompt in its cache.
type CachePolicy string

// The values of CachePolicy.
const (
	// CacheAuto, also "", asks where the vendor is known to understand it.
	CacheAuto CachePolicy = "auto"
	CacheOff  CachePolicy = "off"
	// Cache5m and Cache1h ask for that time, where the vendor offers a choice.
	Cache5m CachePolicy = "5m"
	Cache1h CachePolicy = "1h"
)

// Cache is what a request says about the provider's prompt cache.
type Cache struct {
	Policy CachePolicy
	// Key is the same for all requests of a session, 64 characters at most. The provider
	// uses it to route them to the server that has their prefix. "" is not sent.
	Key string
	// Stable is how many entries at the beginning of the history will be sent
	// unchanged from now on.
	Stable int
}
