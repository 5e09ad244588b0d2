package tui

import "strings"

// maxPromptStored bounds one remembered prompt, in bytes, so that pastes do not
// fill the history.
const maxPromptStored = 16 << 10

// prompts walks through earlier prompts, newest first, keeping what was being
// typed.
type prompts struct {
	entries []string
	// at is the entry shown; len(entries) means the draft.
	at    int
	draft string
}

// load puts the prompts of earlier sessions before those of this one.
func (p *prompts) load(earlier []string) {
	p.entries = append(append([]string(nil), earlier...), p.entries...)
	p.at += len(earlier)
}

// add remembers a prompt and ends the walk. It reports false when there is nothing
// new to remember.
func (p *prompts) add(prompt string) bool {
	defer p.rest()
	if n := len(p.entries); prompt == "" || len(prompt) > maxPromptStored || n > 0 && p.entries[n-1] == prompt {
		return false
	}
	p.entries = append(p.entries, prompt)
	return true
}

// rest ends the walk.
func (p *prompts) rest() { p.at, p.draft = len(p.entries), "" }

// older returns the entry before the one shown; draft is what is being typed now.
func (p *prompts) older(draft string) (string, bool) {
	if p.at == 0 {
		return "", false
	}
	if p.at == len(p.entries) {
		p.draft = draft
	}
	p.at--
	return p.entries[p.at], true
}

// newer returns the entry after the one shown, at last the draft.
func (p *prompts) newer() (string, bool) {
	if p.at >= len(p.entries) {
		return "", false
	}
	p.at++
	if p.at == len(p.entries) {
		return p.draft, true
	}
	return p.entries[p.at], true
}

// search is the state of Ctrl+R.
type search struct {
	query string
	// found is the index of the entry shown, -1 for none.
	found int
}

// find looks for the newest entry that contains the query, older than before.
func (p *prompts) find(query string, before int) int {
	query = strings.ToLower(query)
	for i := min(before, len(p.entries)) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(p.entries[i]), query) {
			return i
		}
	}
	return -1
}
