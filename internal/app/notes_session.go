package app

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/extend/setup/consent"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/notes"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/text/textdiff"
	"agent/internal/tools"
)

// noting holds the notes of a conversation. The notes in the system prompt stay the same until it is
// rendered again. Messages report changes in the meantime to the model.
type noting struct {
	at     *place
	rec    *record
	events *events
	// window returns the size of the model's context window, in tokens.
	window func() int
	// book is nil if there are no notes.
	book    *notes.Book
	checker *notes.Checker
	// trust holds the user's decision about the notes of the repository.
	trust *consent.Trust
	// offers is set if the model may propose notes.
	offers bool
	// begun chooses the notes of the first system prompt, once, and returns notices for the user.
	begun func() []string

	mu sync.Mutex
	// text is the part of the prompt with notes. sent holds the notes that the model has received. told
	// holds the ids of the notes that were reported to the model as outdated.
	text string
	sent []notes.Note
	told map[string]bool
	// waiting holds the ids of the repository's notes that need approval.
	waiting map[string]bool
	// news are lines, not yet sent to the model, about notes that were approved or withdrawn.
	news []string
	// begins holds the start time of each turn. mine holds the notes that the model has stored.
	begins []time.Time
	mine   []keptNote
	shown  string
}

// A keptNote is a note that the model has stored, with the number of the turn.
type keptNote struct {
	notes.Note
	turn int
}

const (
	// leastWindow is the smallest context window, in tokens, in which notes are sent and stored and
	// subagents are offered.
	leastWindow = 16_384
	// mostOfTurn and mostOfSession limit how many notes the model can store.
	mostOfTurn, mostOfSession = 3, 20
	noteBytesPerToken         = 4
)

// A firstLook reads the notes of a workspace while its conversation is being created.
type firstLook struct {
	// book is nil if there are no notes.
	book    *notes.Book
	checker *notes.Checker
	states  []notes.State
	// problems are lines for the user.
	problems []string
	// done is closed once the notes are read.
	done chan struct{}
}

// lookAtNotes starts to read the notes, unless notes are off.
func lookAtNotes(at *place) *firstLook {
	look := &firstLook{done: make(chan struct{})}
	if at.options.NoSetup || settings.Notes.Value(at.settings) == "off" || at.options.Record.Folder != "" {
		return look
	}
	look.book = at.folders.Notes(at.process.Home, at.workspace.Root())
	look.checker = look.book.Checker()
	go func() {
		defer close(look.done)
		all, problems := look.book.Notes()
		look.states, look.problems = look.checker.Check(all, at.process.Now), problems
	}()
	return look
}

// newNoting returns the notes of a conversation. window returns the size of the model's context window.
func newNoting(at *place, rec *record, events *events, window func() int, trust *consent.Trust, look *firstLook) *noting {
	n := &noting{at: at, rec: rec, events: events, window: window, trust: trust, book: look.book, checker: look.checker}
	n.offers = n.book != nil && settings.Notes.Value(at.settings) == "on" && !at.options.Record.Off && window() >= leastWindow
	n.begun = sync.OnceValue(func() []string {
		if n.book == nil {
			return nil
		}
		<-look.done
		return n.choose(look.states, look.problems)
	})
	return n
}

// forTools returns the notes for the tool that stores notes, or nil if the model may not use it.
func (n *noting) forTools() tools.Notes {
	if !n.offers {
		return nil
	}
	return n
}

// isRemember reports whether a name is the name of the tool that stores notes.
func isRemember(name string) bool { return name == "remember" }

// source returns the tool that stores notes, if the model may use it.
func (n *noting) source() tools.Source {
	if !n.offers {
		return tools.FixedSource("notes")
	}
	return tools.FixedSource("notes", tools.RememberTool())
}

// look reads the notes and checks whether the files they are based on have changed.
func (n *noting) look() (states []notes.State, problems []string) {
	all, problems := n.book.Notes()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.checker.Check(all, n.at.process.Now), problems
}

// shared returns the notes that are stored in the repository. The caller holds the lock.
func (n *noting) shared() (states []notes.State, problems []string) {
	return SharedNotes(n.book, n.trust, n.checker, n.at.process.Now)
}

// head chooses the notes for the system prompt of the next requests. It returns notices for the user.
func (n *noting) head() []string {
	if n.book == nil {
		return nil
	}
	return n.choose(n.look())
}

func (n *noting) choose(states []notes.State, notices []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text, n.sent, n.told, n.waiting, n.news = "", nil, map[string]bool{}, map[string]bool{}, nil
	brought, problems := n.shared()
	states, notices = append(states, brought...), append(notices, problems...)
	if len(states) == 0 || n.window() < leastWindow {
		return notices
	}
	for _, s := range brought {
		n.waiting[s.ID] = s.State == notes.StateProposed
	}
	n.text, n.sent = notes.SelectForPrompt(states, n.budget())
	if line := notes.StaleLine(states); line != "" && n.at.options.searches() {
		n.text = strings.TrimPrefix(n.text+"\n\n"+line, "\n\n")
	}
	if line := notes.Summary(states, n.at.process.Now()); line != n.shown {
		n.shown = line
		notices = append(notices, line)
	}
	return notices
}

func (n *noting) budget() int {
	return settings.NotesBudget.Value(n.at.settings) * noteBytesPerToken
}

// useAgreed reports to the model the notes of the repository that the user has approved since the system
// prompt was rendered.
func (n *noting) useAgreed() {
	if n.book == nil {
		return
	}
	n.begun()
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) == 0 {
		return
	}
	states, _ := n.shared()
	for _, s := range states {
		if s.State == notes.StateUsed && n.waiting[s.ID] {
			delete(n.waiting, s.ID)
			n.tellKept(s.Note)
		}
	}
}

// tellKept adds a line about a new note to the next message to the model. The caller holds the lock.
func (n *noting) tellKept(note notes.Note) {
	n.news = append(n.news, "A note was stored: "+strings.ReplaceAll(note.Text, "\n", "\n  "))
	n.sent = append(n.sent, note)
}

func (n *noting) prompt() string {
	n.begun()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text
}

// turns records the start time of each turn.
func (n *noting) turns(e chat.Event) {
	if _, begins := e.(chat.TurnStarted); !begins || n.book == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.begins = append(n.begins, n.at.process.Now())
}

// newsText returns a message about notes in the system prompt that are outdated, and about notes that were
// approved. It reports each note once.
func (n *noting) newsText() []history.Block {
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

// teller returns a function for a subagent, whose prompt contains the same notes. The function returns a
// message about each note that has become outdated, once.
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

// staleSince returns a line for each note that the model has received and that is based on a changed file.
// It omits the notes in told. A note that cannot be checked in time is checked at the next call.
func (n *noting) staleSince(told map[string]bool) (lines []string) {
	for _, s := range n.checker.Check(n.sent, n.at.process.Now) {
		if s.State == notes.StateStale && !told[s.ID] {
			told[s.ID] = true
			lines = append(lines, fmt.Sprintf("%s has changed, and this note depends on it; do not rely on the note: %s", humanize.FileName(s.Changed), humanize.Line(s.Text, 120)))
		}
	}
	return lines
}

func newsOfNotes(lines []string) []history.Block {
	if len(lines) == 0 {
		return nil
	}
	return []history.Block{&history.Text{Text: "[Notes: " + strings.Join(lines, "\n") + "]", Source: history.SourceExtension}}
}

// Remember implements tools.Notes.
func (n *noting) Remember(text string, files []string, replaces string) (r tools.NoteDraft, err error) {
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
	grounds, err := n.book.NewBasis(n.at.workspace.Root(), files)
	if err != nil {
		return r, err
	}
	note := notes.Note{Text: r.Text, Basis: grounds}
	before, after, err := n.book.PreviewAdd(n.newNote(note), notes.ScopeRepository, replaces)
	if err != nil {
		return r, err
	}
	from, to := "/dev/null", n.book.File(notes.ScopeRepository)
	if before != "" {
		from = to
	}
	r.Diff = textdiff.New(before, after).Unified(from, to)
	mode := gate.Mode(settings.ApprovalMode.Value(n.at.settings))
	r.Asks = !n.at.options.Unattended && mode != gate.ModeFullAuto && !mode.IsReadOnly()
	r.Keep = func(text string, agreed bool) (said, summary string, err error) {
		if note.Text, err = notes.Clean(text); err != nil {
			return "", "", err
		}
		if err := n.room(); err != nil { // other calls of the same reply may have reached the limit
			return "", "", err
		}
		if note.Proposed = !agreed; note.Proposed {
			replaces = "" // a replacement takes effect only after approval
		}
		kept, said, err := n.keep(note, notes.ScopeRepository, replaces)
		if err != nil {
			return "", "", err
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.mine = append(n.mine, keptNote{kept, len(n.begins)})
		if kept.Proposed {
			return said, kept.ID + " proposed; /notes", nil
		}
		n.sent = append(n.sent, kept)
		return said, kept.ID + "; /forget " + kept.ID, nil
	}
	return r, nil
}

// room returns an error if the model has reached the limit of stored notes.
func (n *noting) room() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	inTurn := 0
	for _, k := range n.mine {
		if k.turn == len(n.begins) {
			inTurn++
		}
	}
	switch {
	case inTurn >= mostOfTurn:
		return fmt.Errorf("can't store the note: a turn can store at most %d", mostOfTurn)
	case len(n.mine) >= mostOfSession:
		return fmt.Errorf("can't store the note: a session can store at most %d", mostOfSession)
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
	return "", fmt.Errorf("unknown note %s", id)
}

// newNote returns a note with its time and its origin: the current position in the record of this session.
func (n *noting) newNote(note notes.Note) notes.Note {
	note.Made, note.From = n.at.process.Now(), n.rec.origin()
	return note
}

// keep stores a note of the model or the user. said describes the result.
func (n *noting) keep(note notes.Note, to notes.Scope, replaces string) (kept notes.Note, said string, err error) {
	if kept, err = n.book.Add(n.newNote(note), to, replaces); err != nil {
		return kept, "", err
	}
	if kept.Proposed {
		n.record("proposed", kept)
		return kept, fmt.Sprintf("proposed as %s; it is used after the user approves it (/notes)", kept.ID), nil
	}
	n.record("kept", kept)
	return kept, fmt.Sprintf("stored as %s; /forget %s deletes it", kept.ID, kept.ID), nil
}

// record records a change of a note, and emits an event about it.
func (n *noting) record(did string, note notes.Note) {
	n.rec.write(func(log *session.Log) error {
		return log.RecordNote(session.Note{Did: did, ID: note.ID, Text: note.Text})
	})
	e := chat.Noted{ID: note.ID, State: did, Text: note.Text}
	for _, g := range note.Basis {
		e.Basis = append(e.Basis, g.Path)
	}
	n.events.emit(e)
}
