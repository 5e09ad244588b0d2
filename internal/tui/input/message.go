package input

import (
	"slices"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/tui/edit"
)

// Message is what is in the prompt, as it is sent: what was pasted is data (D-46). Its
// pastes are remembered for when it is recalled.
func (in *Input) Message() atcmd.Message {
	in.keepPastes()
	var message atcmd.Message
	for _, part := range in.Parts() {
		said := atcmd.Part{Text: part.Text, Image: part.Image}
		if part.Pasted && part.Image == "" {
			said.Source = history.Pasted
		}
		message = append(message, said)
	}
	return message
}

// Restore puts a message into the prompt again.
func (in *Input) Restore(message atcmd.Message) { in.SetParts(partsOf(message)) }

// partsOf is a message as it is in the prompt.
func partsOf(message atcmd.Message) []edit.Part {
	parts := make([]edit.Part, len(message))
	for i, part := range message {
		parts[i] = edit.Part{Text: part.Text, Pasted: part.Source != "", Image: part.Image}
	}
	return parts
}

// keepPastes remembers what of the prompt was pasted, by its text.
func (in *Input) keepPastes() { in.keepParts(in.Parts()) }

func (in *Input) keepParts(parts []edit.Part) {
	if !slices.ContainsFunc(parts, func(part edit.Part) bool { return part.Pasted }) {
		return
	}
	if in.pasted == nil {
		in.pasted = make(map[string][]edit.Part)
	}
	in.pasted[strings.TrimSpace(edit.Full(parts))] = parts
}

// AsTyped is a sent message as it was in the prompt: long pastes are placeholders.
func (in *Input) AsTyped(text string) string {
	if parts, ok := in.pasted[strings.TrimSpace(text)]; ok {
		return edit.Shown(parts)
	}
	return text
}

// Load takes the prompts of earlier sessions, oldest first.
func (in *Input) Load(earlier []atcmd.Message) {
	prompts := make([]string, len(earlier))
	for i, message := range earlier {
		prompts[i] = message.Text()
		in.keepParts(partsOf(message))
	}
	in.prompts.Load(prompts)
}

// Remember adds a prompt to the earlier ones. It reports false when it is the latest one
// already.
func (in *Input) Remember(text string) bool { return in.prompts.Add(text) }

// Prompts are the earlier prompts, oldest first.
func (in *Input) Prompts() []string {
	in.keepPastes()
	return in.prompts.Entries
}

// Recall puts an earlier prompt into the prompt. What was pasted in it still is.
func (in *Input) Recall(prompt string) {
	if parts, ok := in.pasted[strings.TrimSpace(prompt)]; ok {
		in.SetParts(parts)
		return
	}
	in.Set(prompt)
}

// Older is sent to the prompt before, Newer to the one after, at last to the draft.
func (in *Input) Older() {
	in.keepPastes()
	if prompt, ok := in.prompts.Older(in.Value()); ok {
		in.Recall(prompt)
		in.popup.close()
	}
}

// Newer is sent to the prompt after the one that is shown, at last to the draft.
func (in *Input) Newer() {
	if prompt, ok := in.prompts.Newer(); ok {
		in.Recall(prompt)
		in.popup.close()
	}
}

// ClearDraft empties the prompt; Older brings back what was in it.
func (in *Input) ClearDraft() {
	in.keepPastes()
	in.prompts.Add(in.Value())
	in.Clear()
	in.popup.close()
}
