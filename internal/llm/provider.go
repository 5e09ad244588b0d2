// Package llm defines how the program talks to a model: one small streaming interface, [Provider],
// and wrappers that add retries (Retry), a watchdog (Watch), lessons from refusals (Adapt) and
// redaction (Redact) to any implementation. A [Request] holds the conversation, and a reply is a
// sequence of chunks:
//
//	for chunk, err := range provider.Stream(ctx, request) {
//		switch chunk := chunk.(type) {
//		case llm.Text:
//			fmt.Print(chunk.Delta)
//		}
//	}
//
// Requests, chunks and errors do not depend on a wire format; package openai implements two, and
// package anthropic another. The
// package knows the content model of package history and nothing of the turn loop. It never logs a
// key.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"agent/internal/history"
)

// Provider streams the replies of a model. A provider that talks to a server makes one request for
// one reply. TestProvider in package llmtest tests this contract. A Provider is safe
// for concurrent use.
type Provider interface {
	// Stream sends the request and yields the reply as it arrives. The sequence ends after a Finish
	// chunk or with one error. The error is ctx's error if ctx has ended, and else an *Error.
	// Thought, complete calls, the usage and Finish come at the end, in this order. Leaving the
	// loop early or ending ctx cancels the request, and nothing of it continues afterwards. A
	// sequence can be ranged over once.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is a request to a model. It does not depend on a wire format.
type Request struct {
	Model   string
	System  string
	History []*history.Content
	Tools   []ToolSpec
	// Schema is the JSON Schema that the reply must fit, nil for none. Not every server enforces
	// it.
	Schema json.RawMessage
	// MaxOutputTokens limits the reply. This and the next three fields are sent only if they are
	// set.
	MaxOutputTokens int
	Temperature     *float64
	TopP            *float64
	ReasoningEffort string
	// NoReply asks for no reply where the API can do without one: the request only keeps the prompt
	// in the cache. MaxOutputTokens limits the reply elsewhere.
	NoReply bool
	// Replay decides whether reasoning is sent back to the model that it comes from.
	Replay Replay
	// Cache controls the provider's prompt cache.
	Cache Cache
	// Patience limits the waits and the attempts; nil means DefaultPatience.
	Patience *Patience
}

// ToolSpec describes a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the parameters object.
	Schema json.RawMessage
	// Searches is set for the search of the web that the model's server makes by itself, within the
	// reply. Nothing else of the tool is sent but Blocked.
	Searches bool
	// Blocked lists the hosts that Searches omits, with their subdomains. Only the Messages API
	// takes them.
	Blocked []string
	// Free is the form of the tool for models that write its argument as plain text; nil if there
	// is none.
	Free *FreeForm
}

// FreeForm describes a tool whose argument is plain text instead of JSON.
type FreeForm struct {
	// Parameter is the name of the text if the tool is offered as a function.
	Parameter   string
	Description string
	// Grammar is the grammar of the text, in the format of Lark.
	Grammar string
}

// Chunk is a part of a reply: Text, Reasoning, WasThinking, ToolCallStarted, Thought, ToolCall,
// Searched, Usage, Finish, Retrying (from Retry), Adapted (from Adapt) or Heartbeat (for Watch).
type Chunk interface{ chunk() }

// Heartbeat is a sign of life that is not part of the reply: a keep-alive, an event without
// content or, with Token, a piece of a call's arguments. Watch removes pulses.
type Heartbeat struct{ Token bool }

// Text is a piece of the answer.
type Text struct{ Delta string }

// Reasoning is a piece of the model's thinking.
type Reasoning struct{ Delta string }

// WasThinking says that all Text so far was the model's thinking. It is sent if only the end of the
// thinking was marked, and not its beginning.
type WasThinking struct{}

// Thought comes once, after the Reasoning of a reply. It holds the data that the provider attached
// to the reasoning.
type Thought struct{ Attached *history.Attached }

// ToolCallStarted says that the model has begun a call. The arguments are still arriving. The
// complete calls come in the same order.
type ToolCallStarted struct{ Name string }

// ToolCall is a complete call. Arguments that are not a JSON object are passed on unchanged, and
// the turn loop answers them with a tool error. Calls arrive in the model's order, before Finish.
type ToolCall struct {
	ID, Name  string
	Arguments string
	// Cut is set if the reply reached the output limit within the call.
	Cut bool
	// Attached holds the data that the provider attached to the call, or nil.
	Attached *history.Attached
}

// Usage is the provider's report of the tokens of a request.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// ThinkingTokens is the part of CompletionTokens that the model thought, 0 if the provider does
	// not report it.
	ThinkingTokens int
	// DroppedThinking is the number of blocks of earlier thinking that the provider omitted of the
	// prompt, because the conversation before them has changed.
	DroppedThinking int
	// CachedTokens is the part of PromptTokens read from the provider's cache.
	CachedTokens int
	// CacheWriteTokens is the part of PromptTokens written to the cache, if the provider charges
	// for that.
	CacheWriteTokens int
	// LongWriteTokens is the part of CacheWriteTokens that the cache keeps for an hour, which costs
	// twice the input.
	LongWriteTokens int
	// CacheMiss is the provider's reason why its cache missed, in its own words; "" if it gives
	// none.
	CacheMiss string
}

// Searched says that the server has searched the web. Query is empty if the server does not tell.
type Searched struct {
	Query string
	// Sources are the addresses that it found, or that the answer names.
	Sources []string
	// Times is the number of searches, 0 if the server only opened a page that it had found.
	Times int
}

// Retrying announces another attempt (see Retry).
type Retrying struct {
	// Attempt is the number of the attempt that follows, from 2.
	Attempt int
	Delay   time.Duration
	// Where and Reason are Where and Message of the failure.
	Where, Reason string
	// Discard means that all chunks of this reply so far are void, because the next attempt starts
	// over.
	Discard bool
}

// Adapted comes before a reply if the endpoint has refused a part of the request, and the request
// was made again without it. Note describes the loss to a user.
type Adapted struct{ Note string }

// Finish ends a complete reply. Reason comes from the provider: stop, tool_calls, length or
// content_filter.
type Finish struct{ Reason string }

func (Heartbeat) chunk()       {}
func (Text) chunk()            {}
func (Reasoning) chunk()       {}
func (WasThinking) chunk()     {}
func (Thought) chunk()         {}
func (ToolCallStarted) chunk() {}
func (ToolCall) chunk()        {}
func (Searched) chunk()        {}
func (Usage) chunk()           {}
func (Retrying) chunk()        {}
func (Adapted) chunk()         {}
func (Finish) chunk()          {}

// Replay decides whether reasoning is sent back to the model that it comes from.
type Replay string

// The values of Replay.
const (
	// ReplayAuto, also "", sends reasoning back if the vendor is known to want it, or once the
	// endpoint has asked for it.
	ReplayAuto   Replay = "auto"
	ReplayAlways Replay = "always"
	ReplayNever  Replay = "never"
)

// CachePolicy decides whether to ask the provider to keep the prompt in its cache.
type CachePolicy string

// The values of CachePolicy.
const (
	// CacheAuto, also "", asks if the vendor is known to understand it.
	CacheAuto CachePolicy = "auto"
	CacheOff  CachePolicy = "off"
	// Cache5m asks for 5 minutes if the vendor offers a choice.
	Cache5m CachePolicy = "5m"
	// Cache1h asks for an hour if the vendor offers a choice.
	Cache1h CachePolicy = "1h"
)

// Cache controls the provider's prompt cache for a request.
type Cache struct {
	Policy CachePolicy
	// Key is the same for all requests of a session, 64 characters at most. With it the provider
	// routes them to the server that has their prefix. An empty Key is not sent.
	Key string
	// Stable is the number of entries at the beginning of the history that later requests will send
	// unchanged.
	Stable int
}
