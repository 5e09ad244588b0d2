package screen

import (
	"strings"
	"sync"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/tools"
	"agent/internal/tui"
)

// earlierOf converts a resumed conversation for the screen: each message of the user, with the model's tool
// calls and its last reply.
func earlierOf(entries []*history.Content, registry *tools.Registry) tui.EarlierConversation {
	var e tui.EarlierConversation
	ended := outcomes(entries)
	for _, entry := range entries {
		if entry.IsMessage() || entry.HasSource(history.SourceCommand) { // printed text alone has no reply
			e.Exchanges = append(e.Exchanges, tui.EarlierTurn{Said: ownWords(entry)})
			e.Unfinished = e.Unfinished || entry.IsMessage()
			continue
		}
		if len(e.Exchanges) == 0 || entry.Speaker != history.AI {
			continue
		}
		exchange := &e.Exchanges[len(e.Exchanges)-1]
		if text := entry.Text(); text != "" {
			exchange.Reply = text
		}
		calls := entry.Calls()
		for _, call := range calls {
			shown, answered := ended[call.ID]
			shown.Label, shown.Failed = registry.Traits(call.Name).Describe(call.Name, call.Arguments()), shown.Failed || !answered
			exchange.Calls = append(exchange.Calls, shown)
		}
		e.Unfinished = len(calls) > 0 || entry.Metadata[history.MetaInterrupted] == true
	}
	return e
}

// outcomes returns, by call id, how the answered calls ended, without their labels.
func outcomes(entries []*history.Content) map[string]tui.Call {
	ended := map[string]tui.Call{}
	for _, entry := range entries {
		deed, _ := history.MetaOf[history.Effect](entry, history.MetaEffect)
		for _, block := range entry.Blocks {
			if r, ok := block.(*history.ToolResponse); ok {
				declined := r.Error == "" && deed.Asked != nil && deed.Asked.Answer == "refused"
				ended[r.CallID] = tui.Call{
					Failed:   !declined && (r.Error != "" || r.ExitCode != nil && *r.ExitCode != 0),
					Declined: declined, Undone: entry.Metadata[history.MetaUndone] == true,
				}
			}
		}
	}
	return ended
}

// ownWords returns the text that the user typed, without the files and data in the message. If the user
// typed nothing, it returns the first line of the files and data.
func ownWords(entry *history.Content) string {
	if said := strings.TrimSpace(entry.OwnText()); said != "" {
		return said
	}
	line, _, _ := strings.Cut(strings.TrimSpace(entry.Text()), "\n")
	return line
}

// promptHistory adapts the file of earlier prompts to the interface. If a write to disk fails, prompts wait
// in memory, and the user sees a notice once. It is safe for concurrent use.
type promptHistory struct {
	file session.Prompts

	mu      sync.Mutex
	waiting []session.Prompt

	writing sync.Mutex
	// behind is set once the notice about waiting prompts was shown.
	behind bool
}

// Load implements tui.History.
func (h *promptHistory) Load() ([]atcmd.Message, error) {
	prompts, err := h.file.Load()
	messages := make([]atcmd.Message, len(prompts))
	for i, prompt := range prompts {
		for _, part := range prompt {
			messages[i] = append(messages[i], atcmd.Part{Text: part.Text, Source: part.Source})
		}
	}
	return messages, err
}

// Add implements tui.History. For an image, it stores only the position in the text.
func (h *promptHistory) Add(message atcmd.Message) {
	var prompt session.Prompt
	for _, part := range message {
		prompt = append(prompt, session.PromptPart{Text: part.Text, Source: part.Source})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = append(h.waiting, prompt)
}

// Write implements tui.History.
func (h *promptHistory) Write() error {
	h.writing.Lock()
	defer h.writing.Unlock()
	for {
		h.mu.Lock()
		waiting := h.waiting
		h.mu.Unlock()
		if len(waiting) == 0 {
			h.behind = false
			return nil
		}
		if err := h.file.Append(waiting[0]); err != nil {
			if h.behind {
				return nil
			}
			h.behind = true
			return err
		}
		h.mu.Lock()
		h.waiting = h.waiting[1:]
		h.mu.Unlock()
	}
}
