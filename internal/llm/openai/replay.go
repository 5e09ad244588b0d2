package openai

import (
	"encoding/json"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/entries"
	"agent/internal/llm/vendor"
)

// Members of messages and calls that vendors attach and require in later requests.
const (
	fieldReasoningContent = vendor.ReasoningContent // DeepSeek, Kimi, GLM, MiniMax, Qwen
	fieldReasoning        = "reasoning"             // OpenRouter, Ollama, vLLM
	fieldReasoningText    = "reasoning_text"        // Copilot
	fieldReasoningDetails = "reasoning_details"     // OpenRouter: signed or encrypted
	fieldExtraContent     = "extra_content"         // Gemini: thought signatures of calls
	fieldItems            = "items"                 // Responses API: reasoning items

	// fieldThinkTags is not a member. It means that the reasoning was between tags before the answer,
	// and is sent in the same way.
	fieldThinkTags = "<think>"
)

// replay decides which attachments of a history are sent: attachments from the same model at the same
// host, in the form that the vendor requires.
type replay struct {
	model, host string
	// thoughts is set if the text of reasoning is sent.
	thoughts bool
	// signed is set if attachments of reasoning are sent.
	signed bool
	// field is the member that every message with calls must have, or "".
	field string
	// signatures is set if the first call of every message must have a signature.
	signatures bool
	// own is set if signatures from this model at this host are sent.
	own bool
	// bound is set if reasoning is valid only while everything before it is unchanged.
	bound bool
	// forgotten contains attachments that this model at this host has refused.
	forgotten *entries.RefusedAttachments
}

func replayFor(req request) replay {
	p := replay{model: req.Model, host: req.host, own: !req.Dialect.NoSignatures, forgotten: req.Dialect.Forgotten}
	p.bound = req.Dialect.Bound || vendor.BoundReasoningOf(req.Model).Prefix()
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

// skipSignature is a signature that Google accepts in place of a lost signature, or of one from another
// model.
var skipSignature = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

// accepts reports whether an attachment comes from this model at this host, is not void and was not
// refused.
func (p replay) accepts(a *history.Attachment) bool {
	return a.IsFrom(p.model, p.host) && !a.Void && !p.forgotten.Has(a)
}

// signature returns the extra_content to send with a call, or nil. first is set for the first call
// of a message.
func (p replay) signature(call *history.ToolCall, first bool) json.RawMessage {
	if a := call.Attached; p.own && p.accepts(a) && a.Field == fieldExtraContent {
		return a.Data
	}
	if p.signatures && first {
		return skipSignature
	}
	return nil
}

// reasoning returns the reasoning to send with a message. field is the member for its text, or "".
// words is the text, and details the signed details, or nil.
func (p replay) reasoning(c *history.Content) (field, words string, details json.RawMessage) {
	if len(c.Calls()) > 0 {
		field = p.field
	}
	for _, thinking := range entries.BlocksOf[*history.Thinking](c.Blocks) {
		if !p.accepts(thinking.Attached) || thinking.Attached.Field == fieldItems {
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

// reasoningIn returns the attachments of the reasoning blocks in a history.
func reasoningIn(conversation []*history.Content) (all []*history.Attachment) {
	for _, c := range conversation {
		for _, thinking := range entries.BlocksOf[*history.Thinking](c.Blocks) {
			all = append(all, thinking.Attached)
		}
	}
	return all
}

// signaturesIn returns the attachments of the calls in a history.
func signaturesIn(conversation []*history.Content) (all []*history.Attachment) {
	for _, c := range conversation {
		for _, call := range c.Calls() {
			all = append(all, call.Attached)
		}
	}
	return all
}
