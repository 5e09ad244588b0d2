// Package sessionnotes gives a conversation its notes: it selects those for the system prompt, reports their
// changes to the model, and stores notes for the model and for the user's commands.
package sessionnotes

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"agent/internal/chat"
	"agent/internal/extend/setup/consent"
	"agent/internal/notes"
	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/websearch"
)

// Config holds the dependencies of Notes.
type Config struct {
	Settings *settings.Settings
	// Root is the absolute path of the workspace.
	Root string
	// Trust holds the user's decision about the notes of the repository.
	Trust *consent.Trust
	// Recorded is set if the conversation is recorded; only then notes can be stored. Searches is set if the
	// model may search earlier sessions. Unattended is set if no user can approve a note.
	Recorded, Searches, Unattended bool
	// HasRoom reports whether the model's context window is large enough for notes.
	HasRoom func() bool
	// Origin names the current position in the record.
	Origin func() string
	// Record records a change of a note.
	Record func(session.Note)
	// Emit emits an event of the conversation, on the goroutine that runs it.
	Emit func(chat.Event)
	Now  func() time.Time
}

// Notes holds the notes of a conversation. The notes in the system prompt stay the same until it is
// rendered again. Messages report changes in the meantime to the model.
type Notes struct {
	config Config
	// book is nil if there are no notes.
	book    *notes.Book
	checker *notes.Checker
	// offers is set if the model may propose notes.
	offers bool
	begin  func() []string

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
	// begins holds the start time of each turn. stored holds the notes that the model has stored.
	begins []time.Time
	stored []keptNote
	shown  string
}

// New returns the notes of a conversation. preload may hold no notes, if notes are off.
func New(config Config, preload *Preload) *Notes {
	n := &Notes{config: config, book: preload.Book, checker: preload.checker}
	n.offers = n.book != nil && settings.Notes.Value(config.Settings) == "on" && config.Recorded && config.HasRoom()
	n.begin = sync.OnceValue(func() []string {
		if n.book == nil {
			return nil
		}
		<-preload.done
		return n.choose(preload.states, preload.problems)
	})
	return n
}

// Begin chooses the notes of the first system prompt, once, and returns notices for the user.
func (n *Notes) Begin() []string { return n.begin() }

// HandleEvent records the start time of each turn.
func (n *Notes) HandleEvent(e chat.Event) {
	if _, begins := e.(chat.TurnStarted); !begins || n.book == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.begins = append(n.begins, n.config.Now())
}

// A Preload reads the notes of a workspace while its conversation is being created. The zero Preload holds no
// notes.
type Preload struct {
	// Book is nil if there are no notes.
	Book    *notes.Book
	checker *notes.Checker
	states  []notes.State
	// problems are lines for the user.
	problems []string
	// done is closed once the notes are read.
	done chan struct{}
}

// StartReading reads the notes of a book in the background.
func StartReading(book *notes.Book, now func() time.Time) *Preload {
	p := &Preload{Book: book, checker: book.Checker(), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		all, problems := book.Notes()
		p.states, p.problems = p.checker.Check(all, now), problems
	}()
	return p
}

// Open returns the notes for a workspace. config is the folder of the configuration. The notes refuse a text
// that quotes a secret file.
func Open(config, home, workspace string) *notes.Book {
	book := notes.Open(config, home, workspace)
	book.Refuses = func(text string) error {
		keys := sensitive.New(workspace, sensitive.MaxFolders).ScanBefore().KeyFiles
		if file := websearch.FindQuotedFile(text, slices.Concat(keys, protect.SecretFiles(home))); file != "" {
			return fmt.Errorf("the note quotes %s, a secret file, and was not stored", file)
		}
		return nil
	}
	return book
}
