package chat

import (
	"slices"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// withoutVoid returns a request without void reasoning, and the replies that lose their reasoning. It
// changes nothing unless the model's reasoning depends on the conversation before it.
func withoutVoid(c *Config, r llm.Request) (request llm.Request, replies []*history.Content) {
	if !(models{c}).Cache(r.Model).Bound {
		return r, nil
	}
	return llm.DropVoidReasoning(r)
}

// omitUnsent counts the reasoning that requests to a model omit: the void reasoning of some replies,
// and the reasoning of other models.
func omitUnsent(c *Config, model string, void []*history.Content) {
	c.History.OmitThinking(func(reply *history.Content) bool {
		by, told := reply.Metadata[history.MetaModel].(string)
		return told && by != model || slices.Contains(void, reply)
	})
}

// emptyReply is the text that asks the model to continue after an empty reply. It is sent once.
const emptyReply = "(your reply was empty: continue, or say that you are done)"

// withNudge returns the history of a request with word as the last message of the user. The message is
// not recorded. It replaces replyBrokeOff if the history ends with that text.
func withNudge(entries []*history.Content, word string) []*history.Content {
	if last := len(entries) - 1; last >= 0 && entries[last].Speaker == history.Human && entries[last].Text() == replyBrokeOff {
		entries = entries[:last]
	}
	return append(slices.Clip(entries), history.HumanText(word))
}

// replyBrokeOff is sent as a message of the user when an incomplete reply is requested again. Vendors
// refuse a conversation that ends with the assistant.
const replyBrokeOff = "(your reply broke off here; continue)"

// buildRequest returns the next request for the provider, with a validated history (D-32).
func buildRequest(c *Config, w *window.Window) (llm.Request, error) {
	entries, _ := c.History.Curated()
	return requestOf(c, w, entries)
}

func requestOf(c *Config, w *window.Window, entries []*history.Content) (llm.Request, error) {
	head := w.Head()
	if err := history.Validate(entries); err != nil {
		return llm.Request{}, err
	}
	cached, known := w.Mark(entries)
	if !known {
		cached = stable(entries, c.Tools.Traits)
	}
	if last := len(entries) - 1; last >= 0 && entries[last].Speaker == history.AI {
		entries = append(slices.Clip(entries), history.HumanText(replyBrokeOff))
	}
	request := forModel(c.Settings, llm.Request{
		System:  head.System,
		History: entries,
		Tools:   head.Tools,
		Cache: llm.Cache{
			Policy: llm.CachePolicy(settings.PromptCache.Value(c.Settings)),
			Key:    c.CacheKey,
			Stable: cached,
		},
	})
	return request, nil
}

func forModel(s *settings.Settings, r llm.Request) llm.Request {
	r.Model = settings.Model.Value(s)
	r.Temperature = settings.Temperature.Pointer(s)
	r.TopP = settings.TopP.Pointer(s)
	r.ReasoningEffort = settings.ReasoningEffort.Value(s)
	r.Patience = &llm.Patience{
		First:   settings.RequestTimeout.Value(s),
		Idle:    settings.IdleTimeout.Value(s),
		Retries: settings.MaxRetries.Value(s),
	}
	r.Replay = llm.Replay(settings.ReasoningReplay.Value(s))
	r.MaxOutputTokens, _ = settings.MaxOutputTokens.Get(s)
	return r
}

// stable returns the number of entries at the beginning of a history that pruning will not change any
// more. It counts the entries before the first one with a file or with output that can be produced
// again.
func stable(entries []*history.Content, facts compression.TraitsLookup) int {
	for i, entry := range entries {
		for _, block := range entry.Blocks {
			switch b := block.(type) {
			case *history.Text:
				if b.IncludedFile != "" {
					return i
				}
			case *history.ToolCall:
				if f := facts(b.Name); f.IsRetrievable() || f.WritesFile() {
					return i
				}
			}
		}
	}
	return len(entries)
}
