package anthropic

import (
	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// usage is a report of tokens. A later report of a reply replaces the numbers that it contains.
type usage struct {
	Input      lenientjson.Int `json:"input_tokens"`
	Output     lenientjson.Int `json:"output_tokens"`
	CacheRead  lenientjson.Int `json:"cache_read_input_tokens"`
	CacheWrite lenientjson.Int `json:"cache_creation_input_tokens"`
	Writes     struct {
		Long lenientjson.Int `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	OutputDetails struct {
		Thinking lenientjson.Int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// with returns u with its numbers replaced by the numbers in a later report.
func (u usage) with(later usage) usage {
	for _, pair := range [][2]*lenientjson.Int{
		{&u.Input, &later.Input},
		{&u.Output, &later.Output},
		{&u.CacheRead, &later.CacheRead},
		{&u.CacheWrite, &later.CacheWrite},
		{&u.Writes.Long, &later.Writes.Long},
		{&u.OutputDetails.Thinking, &later.OutputDetails.Thinking},
	} {
		// Gateways send zeros instead of the numbers of the first report.
		if pair[1].Is && (pair[1].Value > 0 || !pair[0].Is) {
			*pair[0] = *pair[1]
		}
	}
	return u
}

// tellUsed yields the usage of an interrupted reply. The size of the prompt was reported at the
// beginning. The length of the reply is an estimate, because it is only reported at the end.
func (r *reply) tellUsed() {
	if used := r.counted.added(r.usage); r.begun && used.PromptTokens > 0 {
		used.CompletionTokens = max(used.CompletionTokens, r.usage.CompletionTokens+r.size/charsPerToken)
		r.emit(used)
	}
}

func (u usage) added(to llm.Usage) llm.Usage {
	to.PromptTokens += u.Input.NonNegative() + u.CacheRead.NonNegative() + u.CacheWrite.NonNegative()
	to.CompletionTokens += u.Output.NonNegative()
	to.ThinkingTokens += min(u.OutputDetails.Thinking.NonNegative(), u.Output.NonNegative())
	to.CachedTokens += u.CacheRead.NonNegative()
	to.CacheWriteTokens += u.CacheWrite.NonNegative()
	to.LongWriteTokens += min(u.Writes.Long.NonNegative(), u.CacheWrite.NonNegative())
	return to
}
