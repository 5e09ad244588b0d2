package demo

import (
	"strings"
	"sync"

	"github.com/sashabaranov/go-openai"
)

// charactersPerToken is the rule of thumb for English and code. The demo has no
// tokenizer; its figures are estimates and are said to be.
const charactersPerToken = 4

func approximateTokens(characters int) int {
	return (characters + charactersPerToken - 1) / charactersPerToken
}

// prefixCache does the account of a provider's cache: what a request shares with
// the one before it, from the first character on, would not be computed again.
type prefixCache struct {
	mu       sync.Mutex
	previous string
}

// account reports the usage of a request that was answered with completion
// characters, and remembers the request for the next.
func (p *prefixCache) account(r request, completion int) *openai.Usage {
	prompt := promptText(r)
	p.mu.Lock()
	shared := 0
	for shared < min(len(p.previous), len(prompt)) && p.previous[shared] == prompt[shared] {
		shared++
	}
	p.previous = prompt
	p.mu.Unlock()
	u := &openai.Usage{PromptTokens: approximateTokens(len(prompt)), CompletionTokens: approximateTokens(completion)}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	u.PromptTokensDetails = &openai.PromptTokensDetails{CachedTokens: min(shared/charactersPerToken, u.PromptTokens)}
	return u
}

// promptText is the request as one text, in the order in which models are fed:
// tools, then messages.
func promptText(r request) string {
	var b strings.Builder
	for _, tool := range r.Tools {
		b.Write(tool)
	}
	for _, m := range r.Messages {
		b.WriteString("\n" + m.Role + "\n" + textOf(m))
		for _, call := range m.ToolCalls {
			b.WriteString("\n" + call.Function.Name + call.Function.Arguments)
		}
	}
	return b.String()
}
