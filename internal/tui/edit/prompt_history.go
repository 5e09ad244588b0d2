package edit

import (
	"slices"

	"agent/internal/atcmd"
)

// MaxStored is the largest prompt, in bytes, that is stored for later sessions, so that pastes do not fill
// the history.
const MaxStored = 16 << 10

// Prompts browses earlier prompts, newest first, and stores the draft in the meantime.
type Prompts struct {
	Entries []atcmd.Message
	// at is the index of the entry shown; len(Entries) means the draft.
	at    int
	draft atcmd.Message
}

// Load puts the prompts of earlier sessions before the prompts of this session.
func (p *Prompts) Load(earlier []atcmd.Message) {
	p.Entries = slices.Concat(earlier, p.Entries)
	p.at += len(earlier)
}

// Add adds a prompt and ends browsing. It returns false if the prompt is empty or equals the latest prompt.
// An equal prompt replaces the latest prompt, because the pasted parts may differ.
func (p *Prompts) Add(prompt atcmd.Message) bool {
	defer p.EndBrowsing()
	switch n := len(p.Entries); {
	case prompt.Text() == "":
		return false
	case n > 0 && p.Entries[n-1].Text() == prompt.Text():
		p.Entries[n-1] = prompt
		return false
	}
	p.Entries = append(p.Entries, prompt)
	return true
}

// EndBrowsing ends browsing and discards the stored draft.
func (p *Prompts) EndBrowsing() { p.at, p.draft = len(p.Entries), nil }

// Older returns the prompt before the one that is shown. draft is the text being typed now.
func (p *Prompts) Older(draft atcmd.Message) (prompt atcmd.Message, ok bool) {
	if p.at == 0 {
		return nil, false
	}
	if p.at == len(p.Entries) {
		p.draft = draft
	}
	p.at--
	return p.Entries[p.at], true
}

// Newer returns the prompt after the one that is shown. After the last prompt it returns the draft.
func (p *Prompts) Newer() (prompt atcmd.Message, ok bool) {
	if p.at >= len(p.Entries) {
		return nil, false
	}
	p.at++
	if p.at == len(p.Entries) {
		return p.draft, true
	}
	return p.Entries[p.at], true
}
