package openai

import (
	"encoding/json"
	"hash/maphash"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
)

// Members of messages and calls that vendors attach and want back.
const (
	fieldReasoningContent = vendor.ReasoningContent // DeepSeek, Kimi, GLM, MiniMax, Qwen
	fieldReasoning        = "reasoning"             // OpenRouter, Ollama, vLLM
	fieldReasoningText    = "reasoning_text"        // Copilot
	fieldReasoningDetails = "reasoning_details"     // OpenRouter: signed or encrypted
	fieldExtraContent     = "extra_content"         // Gemini: thought signatures of calls
	fieldItems            = "items"                 // Responses API: reasoning items

	// fieldThinkTags is no member: the reasoning came within tags before the answer,
	// and is sent back so.
	fieldThinkTags = "<think>"
)

// replay is what is sent back of the attachments of a history: those of this model at
// this host, in the way that its vendor wants. All others stay at home.
type replay struct {
	model, host string
	// thoughts is set when reasoning is sent back, and signed when what is attached to
	// it does; field is the member that every message with calls must have.
	thoughts, signed bool
	field            string
	// signatures is set when the first call of every message must have one, and
	// own when those that came from here are good for it.
	signatures, own bool
	// forgotten are attachments of this model at this host that it has refused.
	forgotten *Forgotten
}

// replayFor is the replay of a request.
func replayFor(req request) replay {
	p := replay{model: req.Model, host: req.host, own: !req.Dialect.NoSignatures, forgotten: req.Dialect.Forgotten}
	p.signatures = req.Dialect.Signatures || req.wants.Signatures
	switch {
	case req.Replay == llm.ReplayNever, req.Dialect.NoReasoning, req.Dialect.Reasoning == reasoningRefused:
		return p
	case req.Dialect.Reasoning != "":
		p.field = req.Dialect.Reasoning
	default:
		p.field = req.wants.Reasoning
	}
	p.signed = true
	p.thoughts = p.field != "" || req.Replay == llm.ReplayAlways || req.wants.Thoughts
	return p
}

// skipSignature is what Google accepts where a signature is lost or of another
// model.
var skipSignature = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

// knows reports whether an attachment comes from this model at this host, and is good
// for it.
func (p replay) knows(a *history.Attached) bool {
	return a.From(p.model, p.host) && !p.forgotten.has(a)
}

// signature is the extra_content of a call, nil if it has none.
func (p replay) signature(call *history.ToolCall, first bool) json.RawMessage {
	if a := call.Attached; p.own && p.knows(a) && a.Field == fieldExtraContent {
		return a.Data
	}
	if p.signatures && first {
		return skipSignature
	}
	return nil
}

// reasoning is what is sent back of the thinking in a message: the member that holds
// its words, "" if none, the words, and the signed details, nil if there are none.
func (p replay) reasoning(c *history.Content) (field, words string, details json.RawMessage) {
	if len(c.Calls()) > 0 {
		field = p.field
	}
	for _, thinking := range blocksOf[*history.Thinking](c.Blocks) {
		if !p.knows(thinking.Attached) || thinking.Attached.Field == fieldItems {
			continue
		}
		if p.signed && len(thinking.Attached.Data) > 0 {
			details = thinking.Attached.Data
		}
		if own := thinking.Attached.Field; p.thoughts && own != "" && len(c.Calls()) > 0 {
			field, words = own, words+thinking.Thought
		}
	}
	return field, words, details
}

// Forgotten are attachments that do not go back to whom they came from, because they
// were refused: signatures of a model that was replaced, reasoning that another
// account's key encrypted. A value is never changed; nil holds none.
type Forgotten struct{ sums map[uint64]bool }

// forgettingSeed makes sums that mean nothing outside this process.
var forgettingSeed = maphash.MakeSeed()

func sumOf(a *history.Attached) uint64 { return maphash.Bytes(forgettingSeed, a.Data) }

func (f *Forgotten) has(a *history.Attached) bool { return f != nil && f.sums[sumOf(a)] }

// forgetting holds the attachments that hold something, nil if none does.
func forgetting(attached []*history.Attached) *Forgotten {
	f := &Forgotten{map[uint64]bool{}}
	for _, a := range attached {
		if a != nil && len(a.Data) > 0 {
			f.sums[sumOf(a)] = true
		}
	}
	if len(f.sums) == 0 {
		return nil
	}
	return f
}

// thoughtsIn is what is attached to the reasoning of a history.
func thoughtsIn(entries []*history.Content) (all []*history.Attached) {
	for _, c := range entries {
		for _, thinking := range blocksOf[*history.Thinking](c.Blocks) {
			all = append(all, thinking.Attached)
		}
	}
	return all
}

// signaturesIn is what is attached to the calls of a history.
func signaturesIn(entries []*history.Content) (all []*history.Attached) {
	for _, c := range entries {
		for _, call := range c.Calls() {
			all = append(all, call.Attached)
		}
	}
	return all
}
