// Package llm defines how the program communicates with a model: one small streaming interface,
// [Provider], and wrappers for any implementation. The wrappers add retries (Retry), a timeout for
// silent servers (WatchStalls), lessons from refusals (Adapt) and redaction (Redact). A [Request] contains
// the conversation, and a reply is a sequence of chunks:
//
//	for chunk, err := range provider.Stream(ctx, request) {
//		switch chunk := chunk.(type) {
//		case llm.Text:
//			fmt.Print(chunk.Delta)
//		}
//	}
//
// Requests, chunks and errors do not depend on a wire format. Package openai implements two formats,
// and package anthropic a third. The package depends on the content model of package history, but not
// on the turn loop. It never logs an API key.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"agent/internal/history"
)

// Provider streams the replies of a model. A provider for a server makes one request for one reply.
// TestProvider in package llmtest tests this contract. A Provider is safe for concurrent use.
type Provider interface {
	// Stream sends the request and yields the reply as it arrives. The sequence ends after a Finish
	// chunk or with one error. The error is ctx's error if ctx has ended, and otherwise an *Error.
	// Thought, complete calls, the usage and Finish come at the end, in this order. Ending the loop
	// early or ending ctx cancels the request, and no part of it continues afterward. A sequence can be
	// ranged over only once.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is a request to a model. It does not depend on a wire format.
type Request struct {
	Model   string
	System  string
	History []*history.Content
	Tools   []ToolSpec
	// Schema is the JSON Schema for the reply, or nil. Not every server enforces it.
	Schema json.RawMessage
	// MaxOutputTokens limits the reply. This field and the next three are sent only if they are set.
	MaxOutputTokens int
	Temperature     *float64
	TopP            *float64
	ReasoningEffort string
	// NoReply requests no reply, if the API supports that. Such a request only keeps the prompt in the
	// cache. If the API does not support it, MaxOutputTokens limits the reply.
	NoReply bool
	// Replay decides whether reasoning is sent back to the model that wrote it.
	Replay Replay
	// Cache controls the provider's prompt cache.
	Cache Cache
	// Patience limits the waits and the attempts. Nil means DefaultPatience.
	Patience *Patience
}

// ToolSpec describes a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the parameters object.
	Schema json.RawMessage
	// Searches is set for the web search that the model's server makes itself, within the reply. Of
	// such a tool, only Blocked is sent.
	Searches bool
	// Blocked lists the hosts that Searches omits, with their subdomains. Only the Messages API
	// supports this.
	Blocked []string
	// Free is the form of the tool for models that write its argument as plain text. It is nil if there
	// is none.
	Free *FreeForm
}

// FreeForm describes a tool whose argument is plain text instead of JSON.
type FreeForm struct {
	// Parameter is the name of the parameter with the text if the tool is offered as a function.
	Parameter   string
	Description string
	// Grammar is the grammar of the text, in Lark format.
	Grammar string
}

// Chunk is a part of a reply: Text, Reasoning, TextWasReasoning, ToolCallStarted, ReasoningAttachment, ToolCall,
// Searched, Usage, Finish, RetryNotice (from Retry), AdaptedRequest (from Adapt) or Heartbeat (for WatchStalls).
type Chunk interface{ chunk() }

// Heartbeat is a sign that the connection works, but no part of the reply: a keep-alive, an event
// without content or, with Token, a part of a call's arguments. Watch removes heartbeats.
type Heartbeat struct{ Token bool }

// Text is a part of the answer.
type Text struct{ Delta string }

// Reasoning is a part of the model's reasoning.
type Reasoning struct{ Delta string }

// TextWasReasoning means that all Text so far was the model's reasoning. It is sent if only the end of the
// reasoning was marked, and not its beginning.
type TextWasReasoning struct{}

// ReasoningAttachment follows the Reasoning of a reply, once. It contains the data that the provider attached to
// the reasoning.
type ReasoningAttachment struct{ Attached *history.Attachment }

// ToolCallStarted means that the model has begun a call. The arguments are still arriving. The complete
// calls follow in the same order.
type ToolCallStarted struct{ Name string }

// ToolCall is a complete call. Arguments that are not a JSON object are passed on unchanged, and the
// turn loop answers the call with a tool error. Calls arrive in the model's order, before Finish.
type ToolCall struct {
	ID, Name  string
	Arguments string
	// Cut is set if the reply reached the output limit within the call.
	Cut bool
	// Attached is the data that the provider attached to the call, or nil.
	Attached *history.Attachment
}

// Usage is the provider's report of the tokens of a request.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// ThinkingTokens is the part of CompletionTokens used for reasoning, or 0 if the provider does not
	// report it.
	ThinkingTokens int
	// DroppedThinking is the number of blocks of earlier reasoning that the provider removed from the
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
	// CacheMiss is the provider's own reason for a cache miss, or "".
	CacheMiss string
}

// ServerSearch means that the server has searched the web. Query is "" if the server does not report it.
type ServerSearch struct {
	Query string
	// Sources are the addresses that the search found, or that the answer cites.
	Sources []string
	// Times is the number of searches, 0 if the server only opened a page that it had found.
	Times int
}

// RetryNotice announces another attempt (see Retry).
type RetryNotice struct {
	// Attempt is the number of the attempt that follows, from 2.
	Attempt int
	Delay   time.Duration
	// Where and Reason are the Where and Message of the Error that caused the retry.
	Where, Reason string
	// Discard means that all chunks of this reply so far are void, because the next attempt starts
	// again.
	Discard bool
}

// AdaptedRequest precedes a reply if the endpoint has refused a part of the request, and the request was sent
// again without that part. Note describes the loss to a user.
type AdaptedRequest struct{ Note string }

// Finish ends a complete reply. Reason comes from the provider: stop, tool_calls, length or
// content_filter.
type Finish struct{ Reason string }

func (Heartbeat) chunk()           {}
func (Text) chunk()                {}
func (Reasoning) chunk()           {}
func (TextWasReasoning) chunk()    {}
func (ReasoningAttachment) chunk() {}
func (ToolCallStarted) chunk()     {}
func (ToolCall) chunk()            {}
func (ServerSearch) chunk()        {}
func (Usage) chunk()               {}
func (RetryNotice) chunk()         {}
func (AdaptedRequest) chunk()      {}
func (Finish) chunk()              {}

// Replay decides whether reasoning is sent back to the model that wrote it.
type Replay string

// The values of Replay.
const (
	// ReplayAuto, also "", sends reasoning back if the vendor is known to require it, or once the
	// endpoint has requested it.
	ReplayAuto   Replay = "auto"
	ReplayAlways Replay = "always"
	ReplayNever  Replay = "never"
)

// CachePolicy decides whether the provider is asked to cache the prompt.
type CachePolicy string

// The values of CachePolicy.
const (
	// CacheAuto, also "", sends cache hints if the vendor is known to support them.
	CacheAuto CachePolicy = "auto"
	CacheOff  CachePolicy = "off"
	// Cache5m requests 5 minutes if the vendor offers a choice.
	Cache5m CachePolicy = "5m"
	// Cache1h requests an hour if the vendor offers a choice.
	Cache1h CachePolicy = "1h"
)

// Cache controls the provider's prompt cache for a request.
type Cache struct {
	Policy CachePolicy
	// Key is the same for all requests of a session, with at most 64 characters. The provider uses it
	// to route the requests to the server that has their prefix. An empty Key is not sent.
	Key string
	// Stable is the number of entries at the beginning of the history that later requests will send
	// unchanged.
	Stable int
}
