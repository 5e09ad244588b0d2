package app

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/notes"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/text/textdiff"
	"agent/internal/tools"
	"agent/internal/words"
)

// noting holds the notes of a conversation. The notes in the head stay as they are until the head
// is made anew; what changes meanwhile is told to the model.
type noting struct {
	talk     noteTalk
	settings *settings.Settings
	options  Options
	// root is the folder of the workspace.
	root string
	now  func() time.Time
	// book is nil if there are no notes.
	book    *notes.Book
	checker *notes.Checker
	// trust has the person's decision about the notes of the repository.
	trust *consent.Trust
	// offers is set if the model may propose notes.
	offers bool
	// begun chooses the notes of the first head, once, and returns notices for the person.
	begun func() []string

	mu sync.Mutex
	// text is the part of the prompt, sent has the notes that the model knows, and told those of
	// them that it knows not to hold any more.
	text string
	sent []notes.Note
	told map[string]bool
	// waiting has the notes of the repository to which nobody has agreed.
	waiting map[string]bool
	// news are lines about notes that were agreed to or withdrawn and are not told yet.
	news []string
	// turns has the time at which each turn began, and kept the notes that the model has kept.
	turns []time.Time
	kept  []keptNote
	shown string
}

// A noteTalk is the conversation as its notes need it.
type noteTalk interface {
	// window returns the size of the model's window, in tokens.
	window() int
	// noteOrigin names the place in the record at which a note is made, "" without a record.
	noteOrigin() string
	// recordNote records what was done with a note.
	recordNote(note session.Note)
	emit(e chat.Event)
}

// talkOfNotes implements noteTalk.
type talkOfNotes struct{ conversation *Conversation }

func (t talkOfNotes) window() int       { return t.conversation.window() }
func (t talkOfNotes) emit(e chat.Event) { t.conversation.emit(e) }

func (t talkOfNotes) noteOrigin() string {
	if log := t.conversation.session; log != nil {
		return fmt.Sprintf("%s#%d", log.ID(), log.Seq())
	}
	return ""
}

func (t talkOfNotes) recordNote(note session.Note) {
	if log := t.conversation.session; log != nil {
		t.conversation.logged(log.Note(note))
	}
}

// A keptNote is a note that the model has kept, and the number of the turn.
type keptNote struct {
	notes.Note
	turn int
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
	n.talk, n.settings, n.options, n.root, n.now = talkOfNotes{c}, c.settings, c.options, c.workspace.Root(), c.process.Now
	n.book = c.folders.Notes(c.process.Home, c.workspace.Root())
	n.checker = n.book.Checker()
	looked := make(chan func() []string, 1)
	go func() {
		states, problems := n.look()
		looked <- func() []string { return n.choose(states, problems) }
	}()
	n.begun = sync.OnceValue(func() []string { return (<-looked)() })
}

// offer lets the model propose notes, if it may.
func (n *noting) offer(env *tools.Env) {
	if n.offers = n.book != nil && settings.Notes.Of(n.settings) == "on" && !n.options.Record.Off && n.talk.window() >= leastWindow; n.offers {
		env.Notes = n
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
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.checker.Check(all, n.now), problems
}

// shared returns the notes that the repository brings. The caller holds the lock.
func (n *noting) shared() (states []notes.State, problems []string) {
	return SharedNotes(n.book, n.trust, n.checker, n.now)
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
	n.text, n.sent, n.told, n.waiting, n.news = "", nil, map[string]bool{}, map[string]bool{}, nil
	brought, problems := n.shared()
	states, notices = append(states, brought...), append(notices, problems...)
	if len(states) == 0 || n.talk.window() < leastWindow {
		return notices
	}
	for _, s := range brought {
		n.waiting[s.ID] = s.State == notes.Proposed
	}
	n.text, n.sent = notes.Choose(states, n.budget())
	if line := notes.StaleLine(states); line != "" && n.options.searches() {
		n.text = strings.TrimPrefix(n.text+"\n\n"+line, "\n\n")
	}
	if line := notes.Summary(states, n.now()); line != n.shown {
		n.shown = line
		notices = append(notices, line)
	}
	return notices
}

func (n *noting) budget() int {
	return settings.NotesBudget.Of(n.settings) * noteBytesPerToken
}

// useAgreed tells the model the notes of the repository to which the person has agreed since the
// head was made.
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
		if s.State == notes.Used && n.waiting[s.ID] {
			delete(n.waiting, s.ID)
			n.tellKept(s.Note)
		}
	}
}

// tellKept has the model told a note, with the next message. The caller holds the lock.
func (n *noting) tellKept(note notes.Note) {
	n.news = append(n.news, "A note was kept: "+strings.ReplaceAll(note.Text, "\n", "\n  "))
	n.sent = append(n.sent, note)
}

// prompt returns the notes in the head.
func (n *noting) prompt() string {
	n.begun()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text
}

func (n *noting) beginTurn() {
	if n.book == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turns = append(n.turns, n.now())
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
	for _, s := range n.checker.Check(n.sent, n.now) {
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
	grounds, err := n.book.Ground(n.root, files)
	if err != nil {
		return r, err
	}
	note := notes.Note{Text: r.Text, Grounds: grounds}
	before, after, err := n.book.Draft(n.made(note), notes.Repository, replaces)
	if err != nil {
		return r, err
	}
	from, to := "/dev/null", n.book.File(notes.Repository)
	if before != "" {
		from = to
	}
	r.Diff = textdiff.New(before, after).Unified(from, to)
	mode := gate.Mode(settings.ApprovalMode.Of(n.settings))
	r.Asks = !n.options.Unattended && mode != gate.ModeFullAuto && !mode.OnlyLooks()
	r.Keep = func(agreed bool) (said, summary string, err error) {
		if err := n.room(); err != nil { // other calls of the reply may have taken it
			return "", "", err
		}
		if note.Proposed = !agreed; note.Proposed {
			replaces = "" // until a person agrees
		}
		kept, said, err := n.keep(note, notes.Repository, replaces)
		if err != nil {
			return "", "", err
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.kept = append(n.kept, keptNote{kept, len(n.turns)})
		if kept.Proposed {
			return said, kept.ID + " proposed; /notes", nil
		}
		n.sent = append(n.sent, kept)
		return said, kept.ID + "; /forget " + kept.ID, nil
	}
	return r, nil
}

// room returns an error if the model has kept as many notes as it may.
func (n *noting) room() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	inTurn := 0
	for _, k := range n.kept {
		if k.turn == len(n.turns) {
			inTurn++
		}
	}
	switch {
	case inTurn >= mostOfTurn:
		return fmt.Errorf("at most %d notes are kept in a turn", mostOfTurn)
	case len(n.kept) >= mostOfSession:
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

// made returns a note with its origin, the place in the record of this session.
func (n *noting) made(note notes.Note) notes.Note {
	note.Made, note.From = n.now(), n.talk.noteOrigin()
	return note
}

// keep adds a note of the model or the person, and says so.
func (n *noting) keep(note notes.Note, to notes.Scope, replaces string) (kept notes.Note, said string, err error) {
	if kept, err = n.book.Add(n.made(note), to, replaces); err != nil {
		return kept, "", err
	}
	if kept.Proposed {
		n.record("proposed", kept)
		return kept, fmt.Sprintf("proposed as %s; it is used once the user agrees (/notes)", kept.ID), nil
	}
	n.record("kept", kept)
	return kept, fmt.Sprintf("kept as %s; /forget %s deletes it", kept.ID, kept.ID), nil
}

// record records what was done with a note, and reports it.
func (n *noting) record(did string, note notes.Note) {
	n.talk.recordNote(session.Note{Did: did, ID: note.ID, Text: note.Text})
	e := chat.Noted{ID: note.ID, State: did, Text: note.Text}
	for _, g := range note.Grounds {
		e.Grounds = append(e.Grounds, g.Path)
	}
	n.talk.emit(e)
}
