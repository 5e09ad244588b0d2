package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/app/agentrecords"
	"agent/internal/app/sessionnotes"
	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/chat/rewind"
	"agent/internal/git/worktree"
	"agent/internal/gitfiles/layout"
	"agent/internal/notes"
	"agent/internal/sessionsearch"
	"agent/internal/slash"
	"agent/internal/tools"
)

// Search returns the search in the recorded sessions.
func (f Folders) Search() sessionsearch.Sessions {
	registry := sync.OnceValue(func() *tools.Registry { return tools.NewRegistry(tools.Default()...) })
	return sessionsearch.Sessions{
		Folder: f.Sessions(),
		Traits: func(tool string) tools.Traits { return registry().Traits(tool) },
	}
}

// Finder returns the search in the recorded sessions. It distinguishes the sessions of the repository
// around a workspace from all others.
func (f Folders) Finder(workspace string, now func() time.Time) slash.Finder {
	return slash.Finder{Sessions: f.Search(), Here: f.sameRepository(workspace), Now: now}
}

// sameRepository returns a function that reports whether a folder belongs to the repository around root.
// Such a folder is root itself, an existing folder or worktree of the repository, or a deleted worktree
// that this program made.
func (f Folders) sameRepository(root string) func(folder string) bool {
	common := layout.CommonDir(root)
	known, mu := map[string]bool{root: true}, sync.Mutex{}
	return func(folder string) bool {
		mu.Lock()
		defer mu.Unlock()
		same, ok := known[folder]
		if !ok && common != "" {
			same = fsutil.Within(folder, worktree.Folder(f.Cache, common)) || layout.Real(folder) == folder && layout.CommonDir(folder) == common
		}
		known[folder] = same
		return same
	}
}

// finding searches earlier sessions for the model.
type finding struct {
	slash.Finder
	own   func() string
	notes slash.Notes // nil if they are off
}

// mostPassages limits the passages that one search returns to the model.
const mostPassages = 10

// Find implements tools.Sessions.
func (f finding) Find(ctx context.Context, query, id string) (passages []string, remark string, err error) {
	if wanted, ok := strings.CutPrefix(strings.TrimSpace(query), "note:"); ok && f.notes != nil {
		return f.findNotes(strings.Fields(strings.ToLower(wanted))), "", nil
	}
	q, err := sessionsearch.ParseQuery(query, f.Now())
	if err != nil {
		return nil, "", err
	}
	options := sessionsearch.Options{In: f.Here, Session: id, Except: f.own(), Most: mostPassages}
	found, err := f.Sessions.Search(ctx, q, options)
	if err != nil {
		return nil, "", err
	}
	for _, h := range found.Hits {
		about := h.Kind
		if len(h.Tools) > 0 {
			about += " of " + strings.Join(h.Tools, ", ")
		}
		passages = append(passages, fmt.Sprintf("session %s, %s, number %d, %s: %s", h.Session, h.Time.Format("2006-01-02"), h.Entry, humanize.Line(about, 60), h.Text))
	}
	if q.Plain {
		remark = "(regular expressions are not supported; the pattern was searched as words)"
	}
	return passages, remark, nil
}

// findNotes returns the approved notes that contain all of some words, the stale notes first.
func (f finding) findNotes(wanted []string) (passages []string) {
	states, _ := f.notes.List()
	slices.SortStableFunc(states, func(a, b notes.State) int { return cmp.Compare(len(b.Changed), len(a.Changed)) })
	for _, s := range states {
		missing := func(word string) bool { return !strings.Contains(strings.ToLower(s.Text), word) }
		if s.State != notes.StateProposed && !slices.ContainsFunc(wanted, missing) {
			passages = append(passages, fmt.Sprintf("note %s, %s: %s", s.ID, slash.StateOf(s), humanize.Line(s.Text, 0)))
		}
	}
	return passages
}

// Outline implements tools.Sessions.
func (f finding) Outline(ctx context.Context, id string) (tools.Excerpt, error) {
	places, err := f.Sessions.Places(ctx, id, f.Here)
	if err != nil {
		return tools.Excerpt{}, err
	}
	var rows []string
	for _, p := range places {
		entry, err := f.Sessions.Read(p)
		if err == nil && entry.IsMessage() {
			rows = append(rows, fmt.Sprintf("%d. %s", p.Number, humanize.Line(secret.Redact(entry.OwnText()), 160)))
		}
	}
	heading := fmt.Sprintf("[session %s: its messages]", id)
	return tools.Excerpt{Heading: heading, Text: strings.Join(rows, "\n")}, nil
}

// Entry implements tools.Sessions.
func (f finding) Entry(ctx context.Context, id string, number int) (tools.Excerpt, error) {
	places, err := f.Sessions.Places(ctx, id, f.Here)
	if err != nil {
		return tools.Excerpt{}, err
	}
	for _, p := range places {
		if p.Number == uint64(number) {
			entry, err := f.Sessions.Read(p)
			if err != nil {
				return tools.Excerpt{}, err
			}
			heading := fmt.Sprintf("[session %s, %s, number %d, %s]", id, p.Time.Format("2006-01-02 15:04"), number, p.Kind)
			return tools.Excerpt{Heading: heading, Text: secret.Redact(rewind.Text(entry.Blocks))}, nil
		}
	}
	return tools.Excerpt{}, &sessionsearch.MissingError{What: fmt.Sprintf("entry %d in session %s", number, id)}
}

// earlierSessions returns what the model uses to search earlier sessions of the repository and to read the
// records of this session's subagents. If the setting recall.sessions is off, only the subagents' records
// can be read. If nothing is recorded, nothing can be searched or read.
func earlierSessions(at *place, rec *record, notes *sessionnotes.Notes) (earlier tools.Sessions) {
	earlier = tools.NoSessions{}
	if at.options.searches() {
		earlier = finding{at.folders.Finder(at.workspace.Root(), at.process.Now), rec.SessionID, notes.Commands()}
	}
	if rec.log != nil {
		earlier = agentrecords.Sessions{Sessions: earlier, Conversation: rec.log.Path}
	}
	return earlier
}

var _ tools.Sessions = finding{}
