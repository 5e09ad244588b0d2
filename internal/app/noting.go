package app

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/notes"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/slash"
	"agent/internal/tools"
	"agent/internal/words"
)

// noting holds the notes of a conversation. The notes in the head stay as they are until the head
// is made anew; what changes meanwhile is told to the model.
type noting struct {
	*Conversation
	book    *notes.Book
	checker *notes.Checker
	// offers is set if the model may propose notes.
	offers bool
	// begun chooses the notes of the first head, once, and returns notices for the person.
	begun func() []string

	mu sync.Mutex
	// text is the part of the prompt, sent has its notes, and told those that were said to be stale
	// in this conversation.
	text string
	sent []notes.Note
	told map[string]bool
	// news are lines about notes that were agreed to or withdrawn and are not told yet.
	news []string
	// kept and turn count the notes of the model in the session and in the turn.
	kept, turn int
	shown      string
}

const (
	// leastWindow is the smallest window, in tokens, in which notes are sent and kept and agents
	// are offered.
	leastWindow = 16_384
	// mostOfTurn and mostOfSession bound how many notes the model keeps.
	mostOfTurn, mostOfSession = 3, 20
	noteBytesPerToken         = 4
)

// open opens the notes and starts to look at them, while the conversation is set up.
func (n *noting) open(c *Conversation) {
	n.begun = func() []string { return nil }
	if c.options.NoSetup || settings.Notes.Of(c.settings) == "off" || c.options.Record.Folder != "" {
		return
	}
	n.Conversation = c
	n.book = notes.Open(c.folders.Config, c.process.Home, c.workspace.Root())
	n.checker = n.book.Checker()
	looked := make(chan func() []string, 1)
	go func() {
		states, problems := n.look()
		looked <- func() []string { return n.choose(states, problems) }
	}()
	n.begun = sync.OnceValue(func() []string { return (<-looked)() })
}

// offer lets the model propose notes, if it may.
func (n *noting) offer() {
	if n.offers = n.book != nil && settings.Notes.Of(n.settings) == "on" && !n.options.Record.Off && n.window() >= leastWindow; n.offers {
		n.env.Notes = n
	}
}

// source returns the tool that keeps notes, once the notes are open.
func (n *noting) source() tools.Source {
	return tools.Source{
		Name: "notes",
		Revision: func() uint64 {
			if n.offers {
				return 1
			}
			return 0
		},
		List: func() []tools.Tool {
			if n.offers {
				return []tools.Tool{tools.Remember()}
			}
			return nil
		},
		Expects: func(name string) bool { return name == "remember" },
	}
}

// look reads the notes and compares their grounds.
func (n *noting) look() (states []notes.State, problems []string) {
	all, problems := n.book.Notes()
	return n.checker.Check(all, time.Now), problems
}

// head chooses the notes for the head of the next requests. It returns notices for the person.
func (n *noting) head() []string {
	if n.book == nil {
		return nil
	}
	return n.choose(n.look())
}

func (n *noting) choose(states []notes.State, notices []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text, n.sent, n.told, n.news = "", nil, map[string]bool{}, nil
	if len(states) == 0 || n.window() < leastWindow {
		return notices
	}
	n.text, n.sent = notes.Choose(states, settings.NotesBudget.Of(n.settings)*noteBytesPerToken)
	if line := notes.Summary(states, n.process.Now()); line != n.shown {
		n.shown = line
		notices = append(notices, line)
	}
	return notices
}

// prompt returns the notes in the head.
func (n *noting) prompt() string {
	n.begun()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text
}

func (n *noting) beginTurn() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn = 0
}

// news returns messages for the model about what has changed since the head was made.
func (c *Conversation) news() []history.Block { return append(c.Servers.News(), c.notes.tell()...) }

// tell returns a message about notes of the head that are not true any more, and about notes that
// were agreed to, each once.
func (n *noting) tell() []history.Block {
	if n.book == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.staleSince(n.told)
	lines = append(lines, n.news...)
	n.news = nil
	return newsOfNotes(lines)
}

// teller returns a function that tells an agent of the conversation, whose prompt has the same
// notes, about those that are not true any more, each once.
func (n *noting) teller() func() []history.Block {
	told := map[string]bool{}
	return func() []history.Block {
		if n.book == nil {
			return nil
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		return newsOfNotes(n.staleSince(told))
	}
}

// staleSince returns a line for each note of the head that rests on a file that has changed, and
// that is not told yet. A note that could not be checked in time is left for the next call.
func (n *noting) staleSince(told map[string]bool) (lines []string) {
	for _, s := range n.checker.Check(n.sent, time.Now) {
		if s.State == notes.Stale && !told[s.ID] {
			told[s.ID] = true
			lines = append(lines, fmt.Sprintf("%s has changed, on which this note rests; do not rely on it: %s", words.Name(s.Changed), words.Line(s.Text, 120)))
		}
	}
	return lines
}

func newsOfNotes(lines []string) []history.Block {
	if len(lines) == 0 {
		return nil
	}
	return []history.Block{&history.Text{Text: "[Notes: " + strings.Join(lines, "\n") + "]", Source: history.Brought}}
}

// Remember implements tools.Notes.
func (n *noting) Remember(text string, files []string, replaces string) (r tools.Remembering, err error) {
	if r.Text, err = notes.Clean(text); err != nil {
		return r, err
	}
	if err := n.room(); err != nil {
		return r, err
	}
	if replaces != "" {
		if r.Replaces, err = n.textOf(replaces); err != nil {
			return r, err
		}
	}
	grounds, err := n.book.Ground(n.workspace.Root(), files)
	if err != nil {
		return r, err
	}
	mode := gate.Mode(settings.ApprovalMode.Of(n.settings))
	r.Asks = !n.options.Unattended && mode != gate.ModeFullAuto && !mode.OnlyLooks()
	r.Keep = func(agreed bool) (string, error) {
		return n.keep(notes.Note{Text: r.Text, Grounds: grounds, Proposed: !agreed}, false, replaces)
	}
	return r, nil
}

// room returns an error if the model has kept as many notes as it may.
func (n *noting) room() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.turn >= mostOfTurn:
		return fmt.Errorf("at most %d notes are kept in a turn", mostOfTurn)
	case n.kept >= mostOfSession:
		return fmt.Errorf("at most %d notes are kept in a session", mostOfSession)
	}
	return nil
}

func (n *noting) textOf(id string) (string, error) {
	all, _ := n.book.Notes()
	for _, note := range all {
		if note.ID == id {
			return note.Text, nil
		}
	}
	return "", fmt.Errorf("there is no note %s", id)
}

// keep adds a note of the model or the person, and says so. A proposal replaces nothing.
func (n *noting) keep(note notes.Note, user bool, replaces string) (said string, err error) {
	note.Made, note.From = n.process.Now(), n.SessionID()
	if note.Proposed {
		replaces = ""
	}
	if note, err = n.book.Add(note, user, replaces); err != nil {
		return "", err
	}
	did := "kept"
	if note.Proposed {
		did = "proposed"
	}
	n.record(session.Note{Did: did, ID: note.ID, Text: note.Text})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn++
	n.kept++
	if note.Proposed {
		return fmt.Sprintf("proposed as %s; it is used once the user agrees (/notes)", note.ID), nil
	}
	return fmt.Sprintf("kept as %s; /forget %s deletes it", note.ID, note.ID), nil
}

func (n *noting) record(change session.Note) {
	if n.session != nil {
		n.logged(n.session.Note(change))
	}
}

// commands returns the notes for slash commands, nil if they are off.
func (n *noting) commands() slash.Notes {
	if n.book == nil {
		return nil
	}
	return noted{n}
}

// noted implements slash.Notes.
type noted struct{ *noting }

// List implements slash.Notes.
func (n noted) List() (states []notes.State, problems []string) {
	all, problems := n.book.Notes()
	return n.book.Checker().Check(all, time.Now), problems
}

// Add implements slash.Notes.
func (n noted) Add(text string, user bool) (string, error) {
	note := notes.Note{Text: text}
	if !user {
		var err error
		if note.Grounds, err = n.book.Ground(n.workspace.Root(), notes.Named(n.workspace.Root(), text)); err != nil {
			return "", err
		}
	}
	said, err := n.keep(note, user, "")
	if err == nil {
		n.mu.Lock()
		n.news = append(n.news, keptLine(note))
		n.mu.Unlock()
	}
	return said, err
}

// Agree implements slash.Notes.
func (n noted) Agree(id string) error {
	if err := n.book.Confirm(id, n.process.Now()); err != nil {
		return err
	}
	n.record(session.Note{Did: "agreed", ID: id})
	all, _ := n.book.Notes()
	n.mu.Lock()
	defer n.mu.Unlock()
	sent := func(note notes.Note) bool { return note.ID == id && !n.told[id] }
	if i := slices.IndexFunc(all, func(note notes.Note) bool { return note.ID == id }); i >= 0 && !slices.ContainsFunc(n.sent, sent) {
		n.news = append(n.news, keptLine(all[i]))
	}
	return nil
}

func keptLine(note notes.Note) string {
	return "A note was kept: " + strings.ReplaceAll(note.Text, "\n", "\n  ")
}

// withdraw has the model told that a note of the head does not hold any more.
func (n *noting) withdraw(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.IndexFunc(n.sent, func(note notes.Note) bool { return note.ID == id })
	if i >= 0 && !n.told[id] {
		n.told[id] = true
		n.news = append(n.news, "The user has withdrawn this note; do not rely on it: "+words.Line(n.sent[i].Text, 120))
	}
}

// Edit implements slash.Notes.
func (n noted) Edit(id, text string) error {
	err := n.book.Change(id, func(note *notes.Note) (bool, error) {
		note.Text = text
		return true, nil
	})
	if err == nil {
		n.withdraw(id)
		n.record(session.Note{Did: "edited", ID: id, Text: text})
	}
	return err
}

// Delete implements slash.Notes.
func (n noted) Delete(id string) error {
	err := n.book.Change(id, func(*notes.Note) (bool, error) { return false, nil })
	if err == nil {
		n.withdraw(id)
		n.record(session.Note{Did: "deleted", ID: id})
	}
	return err
}
