package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/llm"
)

// cacheHints are what is sent about the cache to one vendor.
type cacheHints struct {
	// key is OpenAI's, session OpenRouter's.
	key, session string
	// control marks the end of what shall be kept, as Anthropic and Alibaba read it;
	// nil sends none. It stands on the entries marked, and on the system prompt.
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

// cacheHintsFor are the hints of a request to a host.
func cacheHintsFor(req request, host string) cacheHints {
	var h cacheHints
	if req.Cache.Policy == llm.CacheOff || req.Dialect.OmitCache {
		return h
	}
	openRouter, openAI := isHost(host, "openrouter.ai"), isHost(host, "api.openai.com")
	if openRouter || openAI {
		h.key = req.Cache.Key
		h.breakpoint = matchesAtBreakpoints(req.Model)
	}
	if openRouter {
		h.session = req.Cache.Key
	}
	if takesCacheControl(host, req.Model) {
		h.control = json.RawMessage(`{"type":"ephemeral"}`)
		if req.Cache.Policy == llm.Cache1h {
			h.control = json.RawMessage(`{"type":"ephemeral","ttl":"1h"}`)
		}
		h.marked = markedEntries(req)
	}
	return h
}

// matchesAtBreakpoints reports whether a model of OpenAI is GPT-5.6 or later.
func matchesAtBreakpoints(model string) bool {
	major, minor, ok := openAIGeneration(BaseName(model))
	return ok && (major > 5 || major == 5 && minor >= 6)
}

// takesCacheControl reports whether marks in the manner of Anthropic are read:
// by OpenRouter and gateways in front of Claude and Qwen, not by Anthropic's own
// endpoint for this API or by Google's, nor by local servers.
func takesCacheControl(host, model string) bool {
	name := BaseName(model)
	switch {
	case strings.HasPrefix(name, "claude"):
		return !isHost(host, "anthropic.com") && !isHost(host, "googleapis.com") && !IsLocal(host)
	case strings.HasPrefix(name, "qwen"):
		return isHost(host, "openrouter.ai") || isHost(host, "aliyuncs.com")
	default:
		return false
	}
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
