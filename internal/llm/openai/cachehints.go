package openai

import (
	"encoding/json"
	"slices"

	"agent/internal/history"
	"agent/internal/llm"
)

// cacheHints holds the members of a request that concern the prompt cache.
type cacheHints struct {
	// key is the prompt_cache_key of OpenAI.
	key string
	// session is the session_id of OpenRouter.
	session string
	// control is the mark of Anthropic and Alibaba for the end of a part to cache. It is on the system
	// prompt and the marked entries. If nil, no mark is sent.
	control json.RawMessage
	// marked holds the indexes of the marked entries.
	marked map[int]bool
	// breakpoint marks the end of the system prompt for GPT-5.6 and later. These models find a prefix
	// only at such a mark.
	breakpoint bool
}

// markedLatest is the number of latest entries that are marked: the end of this request, and the end of
// the previous request, which is in the cache. With the system prompt and the stable part, these are
// the four marks that a vendor accepts.
const markedLatest = 2

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
	// A time that the user has set is sent as a mark unless another form is known. This also applies to
	// a gateway on this machine.
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

// markedEntries returns the indexes of the entries to mark: the last stable entry, and the latest
// entries.
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
