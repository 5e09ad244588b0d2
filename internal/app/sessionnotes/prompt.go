package sessionnotes

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/notes"
	"agent/internal/settings"
)

// noteBytesPerToken converts the budget of notes from tokens to bytes.
const noteBytesPerToken = 4

// check reads the notes and checks whether the files they are based on have changed.
func (n *Notes) check() (states []notes.State, problems []string) {
	all, problems := n.book.Notes()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.checker.Check(all, n.config.Now), problems
}

// sharedStates returns the notes that are stored in the repository. The caller holds the lock.
func (n *Notes) sharedStates() (states []notes.State, problems []string) {
	return CheckShared(n.book, n.config.Trust, n.checker, n.config.Now)
}

// UpdatePrompt chooses the notes for the system prompt of the next requests. It returns notices for the user.
func (n *Notes) UpdatePrompt() []string {
	if n.book == nil {
		return nil
	}
	return n.choose(n.check())
}

func (n *Notes) choose(states []notes.State, notices []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text, n.sent, n.told, n.waiting, n.news = "", nil, map[string]bool{}, map[string]bool{}, nil
	shared, problems := n.sharedStates()
	states, notices = append(states, shared...), append(notices, problems...)
	if len(states) == 0 || !n.config.HasRoom() {
		return notices
	}
	for _, s := range shared {
		n.waiting[s.ID] = s.State == notes.StateProposed
	}
	n.text, n.sent = notes.SelectForPrompt(states, n.budget())
	if line := notes.StaleLine(states); line != "" && n.config.Searches {
		n.text = strings.TrimPrefix(n.text+"\n\n"+line, "\n\n")
	}
	if line := notes.Summary(states, n.config.Now()); line != n.shown {
		n.shown = line
		notices = append(notices, line)
	}
	return notices
}

func (n *Notes) budget() int {
	return settings.NotesBudget.Value(n.config.Settings) * noteBytesPerToken
}

// ReportApproved reports to the model the notes of the repository that the user has approved since the
// system prompt was rendered.
func (n *Notes) ReportApproved() {
	if n.book == nil {
		return
	}
	n.Begin()
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) == 0 {
		return
	}
	states, _ := n.sharedStates()
	for _, s := range states {
		if s.State == notes.StateUsed && n.waiting[s.ID] {
			delete(n.waiting, s.ID)
			n.tellKept(s.Note)
		}
	}
}

// tellKept adds a line about a new note to the next message to the model. The caller holds the lock.
func (n *Notes) tellKept(note notes.Note) {
	n.news = append(n.news, "A note was stored: "+strings.ReplaceAll(note.Text, "\n", "\n  "))
	n.sent = append(n.sent, note)
}

// Prompt returns the part of the system prompt with notes, "" for none.
func (n *Notes) Prompt() string {
	n.Begin()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text
}

// News returns a message about notes in the system prompt that are outdated, and about notes that were
// approved. It reports each note once.
func (n *Notes) News() []history.Block {
	if n.book == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.staleSince(n.told)
	lines = append(lines, n.news...)
	n.news = nil
	return message(lines)
}

// NewsForSubagent returns a function for a subagent, whose prompt contains the same notes. The function
// returns a message about each note that has become outdated, once.
func (n *Notes) NewsForSubagent() func() []history.Block {
	told := map[string]bool{}
	return func() []history.Block {
		if n.book == nil {
			return nil
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		return message(n.staleSince(told))
	}
}

// staleSince returns a line for each note that the model has received and that is based on a changed file.
// It omits the notes in told. A note that cannot be checked in time is checked at the next call.
func (n *Notes) staleSince(told map[string]bool) (lines []string) {
	for _, s := range n.checker.Check(n.sent, n.config.Now) {
		if s.State == notes.StateStale && !told[s.ID] {
			told[s.ID] = true
			lines = append(lines, fmt.Sprintf("%s has changed, and this note depends on it; do not rely on the note: %s", humanize.FileName(s.Changed), humanize.Line(s.Text, 120)))
		}
	}
	return lines
}

// message returns a message with lines for the model, or nil without lines.
func message(lines []string) []history.Block {
	if len(lines) == 0 {
		return nil
	}
	return []history.Block{&history.Text{Text: "[Notes: " + strings.Join(lines, "\n") + "]", Source: history.SourceExtension}}
}
