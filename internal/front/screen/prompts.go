package screen

import (
	"sync"

	"agent/internal/atcmd"
	"agent/internal/session"
)

// promptHistory is the file of earlier prompts as the interface takes it. On a disk that
// takes nothing prompts wait, which is said once. It is safe for concurrent use.
type promptHistory struct {
	file session.Prompts

	mu      sync.Mutex
	waiting []session.Prompt
	// behind is set once the person knows that prompts wait.
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

// Append implements tui.History. Of an image its place in the sentence is kept.
func (h *promptHistory) Append(message atcmd.Message) error {
	var prompt session.Prompt
	for _, part := range message {
		prompt = append(prompt, session.PromptPart{Text: part.Text, Source: part.Source})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = append(h.waiting, prompt)
	for len(h.waiting) > 0 {
		if err := h.file.Append(h.waiting[0]); err != nil {
			if h.behind {
				return nil
			}
			h.behind = true
			return err
		}
		h.waiting = h.waiting[1:]
	}
	h.behind = false
	return nil
}
