package openai

import (
	"encoding/json"
	"slices"

	"agent/internal/history"
	"agent/internal/llm"
)

// cacheHints are what is sent about the cache to one vendor.
type cacheHints struct {
	// key is OpenAI's, session OpenRouter's.
	key, session string
	// control marks the end of what shall be kept, as Anthropic and Alibaba read it;
	// nil sends none. It is on the entries marked, and on the system prompt.
	control json.RawMessage
	marked  map[int]bool
	// breakpoint marks the end of the system prompt for GPT-5.6 and later, which
	// find a prefix only at such a mark.
	breakpoint bool
}

// markedLatest is how many of the latest entries are marked: the end of this
// request, and of the one before it, whose prefix is in the cache. With the system
// prompt and the stable part that makes the four marks that a vendor takes.
const markedLatest = 2

// cacheHintsFor are the hints of a request.
func cacheHintsFor(req request) cacheHints {
	var h cacheHints
	if req.Cache.Policy == llm.CacheOff || req.Dialect.OmitCache {
		return h
	}
	h.breakpoint = req.wants.Breakpoint
	if req.wants.CacheKey {
		h.key = req.Cache.Key
	}
	if req.wants.SessionID {
		h.session = req.Cache.Key
	}
	// What is asked for by hand is sent wherever no other form is known, also to a gateway on
	// this machine.
	byHand := req.Cache.Policy == llm.Cache5m || req.Cache.Policy == llm.Cache1h
	if req.wants.CacheMarks || byHand && !req.wants.CacheKey {
		h.control = json.RawMessage(`{"type":"ephemeral"}`)
		if req.Cache.Policy == llm.Cache1h {
			h.control = json.RawMessage(`{"type":"ephemeral","ttl":"1h"}`)
		}
		h.marked = markedEntries(req)
	}
	return h
}

// markedEntries are the indexes of the entries that end what shall be kept: the
// last that stays as it is, and the latest.
func markedEntries(req request) map[int]bool {
	var able []int
	for i, c := range req.History {
		if c.Speaker != history.AI && !c.Empty() {
			able = append(able, i)
		}
	}
	marked := map[int]bool{}
	for _, i := range slices.Backward(able) {
		if i < req.Cache.Stable {
			marked[i] = true
			break
		}
	}
	for _, i := range able[max(0, len(able)-markedLatest):] {
		marked[i] = true
	}
	return marked
}
