package main

import (
	"agent/internal/atcmd"
	"agent/internal/session"
)

// promptHistory is the file of earlier prompts as the interface takes it.
type promptHistory struct{ file session.Prompts }

// Load implements tui.History.
func (h promptHistory) Load() ([]atcmd.Message, error) {
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
func (h promptHistory) Append(message atcmd.Message) error {
	var prompt session.Prompt
	for _, part := range message {
		prompt = append(prompt, session.PromptPart{Text: part.Text, Source: part.Source})
	}
	return h.file.Append(prompt)
}
