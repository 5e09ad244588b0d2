package snapshot

import (
	"context"
	"path/filepath"
	"time"

	"agent/internal/disk"
)

// Before a command runs, the journal says so, and a file beside the journal describes the
// workspace. When the program dies in the middle of the command, the next run compares the
// workspace with that file to find the changes of the command (D-87).

// began records a command that is about to run.
type began struct {
	Turn  int       `json:"turn"`
	Title string    `json:"title,omitempty"`
	Root  string    `json:"root"`
	At    time.Time `json:"at"`
	// Held is the checksum of the file that describes the workspace.
	Held uint32 `json:"held,omitempty"`
	// Listed is set if that file has all files of the workspace.
	Listed bool `json:"listed,omitempty"`
	// Unknown is the reason why there is no such file, or "".
	Unknown string `json:"unknown,omitempty"`
	// Half holds the changes made by an undo or redo that was interrupted earlier.
	Half []Change `json:"half,omitempty"`
}

// mostNoted is the number of files up to which a workspace is described before a command. A
// thousand files take a third of a millisecond.
const mostNoted = 100_000

const noteName = "command"

func (s *Store) notePath() string { return filepath.Join(s.Folder, noteName) }

// begin notes that a command is about to run.
func (s *Store) begin(was *before, half []Change) {
	b := &began{Turn: s.turn, Title: s.title, Root: s.files.workspace.Root(), At: was.begun, Listed: was.listed, Half: half}
	if err := s.note(b, was); err != nil {
		b.Held, b.Unknown = 0, err.Error()
	}
	s.tree.began = b
	s.write(record{Began: b})
}

// endUnchanged notes that the command changed nothing.
func (s *Store) endUnchanged() {
	if s.tree.began != nil {
		s.tree.began = nil
		s.write(record{Ended: true})
	}
}

// finishCommand records the changes of a command during which an earlier run of the program
// ended.
func (s *Store) finishCommand(ctx context.Context) {
	b := s.tree.began
	if b == nil || s.ready() != nil {
		return
	}
	s.tree.began = nil
	unknown := b.Unknown
	var changes []Change
	all := true
	switch was, err := s.readNote(b); {
	case b.Root != s.files.workspace.Root():
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
