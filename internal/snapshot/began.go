package snapshot

import (
	"context"
	"path/filepath"
	"time"

	"agent/internal/disk"
)

// Before a command runs, the journal says so, and a file beside it holds what stood at each
// path of the workspace. When the program ends in the middle of the command, the next run
// finds by that what the command has changed (D-87).

// began is a command that is about to run.
type began struct {
	Turn  int       `json:"turn"`
	Title string    `json:"title,omitempty"`
	Root  string    `json:"root"`
	At    time.Time `json:"at"`
	// Held is the checksum of the file that says what stood at each path, and Listed that
	// these are all; Unknown is why there is no such file.
	Held    uint32 `json:"held,omitempty"`
	Listed  bool   `json:"listed,omitempty"`
	Unknown string `json:"unknown,omitempty"`
	// Half is what a way that was begun and not gone had changed already.
	Half []Change `json:"half,omitempty"`
}

// mostHeld is how many files are noted before a command, which takes a third of a
// millisecond for a thousand.
const mostHeld = 100_000

const heldName = "command"

func (s *Store) heldPath() string { return filepath.Join(s.Folder, heldName) }

// begin notes that a command is about to run.
func (s *Store) begin(was *before, half []Change) {
	b := &began{Turn: s.turn, Title: s.title, Root: s.files.Root(), At: was.begun, Listed: was.listed, Half: half}
	if err := s.note(b, was); err != nil {
		b.Held, b.Unknown = 0, err.Error()
	}
	s.tree.began = b
	s.write(record{Began: b})
}

// ended notes that the command changed nothing.
func (s *Store) ended() {
	if s.tree.began != nil {
		s.tree.began = nil
		s.write(record{Ended: true})
	}
}

// finishCommand makes what a command has changed, in the middle of which an earlier run of
// the program ended, part of the history.
func (s *Store) finishCommand(ctx context.Context) {
	b := s.tree.began
	if b == nil || s.ready() != nil {
		return
	}
	s.tree.began = nil
	unknown := b.Unknown
	var changes []Change
	all := true
	switch was, err := s.heldBefore(b); {
	case b.Root != s.files.Root():
		unknown = "it ran in " + b.Root
	case unknown != "":
	case err != nil:
		unknown = "what was noted before it cannot be read: " + disk.Reason(err).Error()
	default:
		changes, all = s.scanAfter(context.WithoutCancel(ctx), was)
	}
	if len(changes) == 0 && all && unknown == "" {
		s.write(record{Ended: true})
		return
	}
	s.keepHalf(b.Half)
	s.record(node{Turn: b.Turn, Title: b.Title, Unlisted: !all, Unknown: unknown, Changes: changes})
}
