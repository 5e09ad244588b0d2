package snapshot

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/base/fsutil"
)

// Before a command runs, a record in the journal marks its start, and a file beside the journal
// describes the workspace. If the program is killed during the command, the next run compares the
// workspace with that file to find the changes of the command (D-87).
//
// Several commands can run at the same time, and tools can edit files meanwhile. When a command
// ends, its node records the changes since its start that no other node has recorded.

// began is the record of a command that is about to run.
type began struct {
	// Slot identifies the command among the commands that run at the same time. It counts from 1.
	// It is 0 in journals of older versions, in which the next node of any kind ends the command.
	Slot  int       `json:"slot,omitempty"`
	Turn  int       `json:"turn"`
	Title string    `json:"title,omitempty"`
	Root  string    `json:"root"`
	At    time.Time `json:"at"`
	// Held is the checksum of the file that describes the workspace.
	Held uint32 `json:"held,omitempty"`
	// Listed is set if that file contains all files of the workspace.
	Listed bool `json:"listed,omitempty"`
	// Unknown is the reason why no such file exists, or "".
	Unknown string `json:"unknown,omitempty"`
	// Half holds the changes made by an undo or redo that was interrupted earlier.
	Half []Change `json:"half,omitempty"`

	// head is the node of the workspace when the command began.
	head int
	// was describes the workspace when the command began. It is nil for a command of an earlier run
	// that was killed during the command.
	was *before
	// idle is set for a command that did not run, because its context had already ended.
	idle bool
}

// maxDescribedFiles is the largest number of files for which a workspace is described before a command.
// A thousand files take a third of a millisecond.
const maxDescribedFiles = 100_000

const noteName = "command"

// notePath returns the path of the file in a store that describes the workspace before the command
// of a slot.
func notePath(store string, slot int) string {
	name := noteName
	if slot > 1 {
		name = fmt.Sprintf("%s-%d", noteName, slot)
	}
	return filepath.Join(store, name)
}

// begin records that a command is about to run.
func (s *Store) begin(was *before, half []Change) *began {
	b := &began{
		Slot: s.tree.freeSlot(), Turn: s.turn, Title: s.title, Root: s.files.workspace.Root(),
		At: was.begun, Listed: was.listed, Half: half, head: s.tree.head, was: was,
	}
	if err := s.note(b, was); err != nil {
		b.Held, b.Unknown = 0, err.Error()
	}
	s.tree.began = append(s.tree.began, b)
	s.write(record{Began: b})
	return b
}

// end records the changes of a running command, and returns the ID of the node. It returns 0 if the
// command changed nothing.
func (s *Store) end(ctx context.Context, b *began) int {
	defer b.was.index.Close()
	changes, all := s.changesOf(ctx, b, b.was)
	if len(changes) == 0 && (all || b.idle) {
		s.tree.end(b.Slot)
		s.write(record{Ended: true, Of: b.Slot})
		return 0
	}
	s.keepHalf(b.Half)
	return s.record(node{Of: b.Slot, Unlisted: !all, Changes: changes})
}

// finishInterrupted records the changes of commands that were running when an earlier run of the
// program was killed.
func (s *Store) finishInterrupted(ctx context.Context) {
	for _, b := range slices.Clone(s.tree.began) {
		if b.was != nil || s.ready() != nil {
			continue
		}
		unknown := b.Unknown
		var changes []Change
		all := true
		switch was, err := s.readNote(b); {
		case b.Root != s.files.workspace.Root():
			unknown = "the command ran in " + b.Root
		case unknown != "":
		case err != nil:
			unknown = "can't read the state of the files before it: " + fsutil.Reason(err).Error()
		default:
			changes, all = s.changesOf(context.WithoutCancel(ctx), b, was)
			was.index.Close()
		}
		if len(changes) == 0 && all && unknown == "" {
			s.tree.end(b.Slot)
			s.write(record{Ended: true, Of: b.Slot})
			continue
		}
		s.keepHalf(b.Half)
		turn, title := b.Turn, b.Title
		if last := s.tree.nodes[s.tree.head]; last != nil && last.Turn > turn {
			turn, title = last.Turn, last.Title // a command of a background subagent, during a later turn
		}
		s.record(node{Of: b.Slot, Turn: turn, Title: title, Unlisted: !all, Unknown: unknown, Changes: changes})
	}
}

// changesOf returns the changes of files since a command began. It omits changes that edits and other
// commands have recorded since then. was describes the workspace when the command began. all is false
// if the command may have created files that the changes do not list.
func (s *Store) changesOf(ctx context.Context, b *began, was *before) (changes []Change, all bool) {
	changes, all = s.scanAfter(ctx, was)
	recorded := s.tree.targets(b.head)
	if len(recorded) == 0 {
		return changes, all
	}
	var rest []Change
	made := map[string][]string{}
	for _, c := range changes {
		if _, ok := recorded[c.Path]; ok {
			made[c.Path] = c.Made
		} else {
			rest = append(rest, c)
		}
	}
	for path, state := range recorded {
		after, same := s.compare(path, state)
		if same && state.sameMode(after) && (state.Mode != 0 || after.Mode&^usualMode == 0) || state.vague() && after.Kind == KindFile {
			continue
		}
		c := Change{Path: path, Before: state, After: after}
		if state.Kind == KindMissing {
			c.Made = made[path]
		}
		if after.Kind == KindMissing {
			c.Gone = s.files.missingFolders(absolute(s.files.workspace.Root(), path))
		}
		rest = append(rest, c)
	}
	sortChanges(rest)
	return rest, all
}

// recordSoFar records the changes of running commands before another command begins. A change found
// at the end of that command was therefore made after its start.
func (s *Store) recordSoFar(ctx context.Context) {
	for _, b := range slices.Clone(s.tree.began) {
		if changes, _ := s.changesOf(ctx, b, b.was); len(changes) > 0 {
			s.record(node{Changes: changes})
		}
	}
}

// recordBefore records the changes of running commands to files before an edit of these files. So
// each change of a file begins with the state in which the previous change ended.
func (s *Store) recordBefore(edit []Change) {
	var changes []Change
	for _, c := range edit {
		for _, b := range s.tree.began {
			if before, ok := s.changeBefore(b, c); ok {
				if !s.contents.meet(context.Background(), before.Before, before.After) {
					changes = append(changes, before)
				}
				break
			}
		}
	}
	if len(changes) > 0 {
		s.record(node{Changes: changes})
	}
}

// changeBefore returns the change of a file from the start of a command to the start of an edit of
// the file. ok is false if the command may not have seen the file.
func (s *Store) changeBefore(b *began, edit Change) (c Change, ok bool) {
	c = Change{Path: edit.Path, After: edit.Before}
	if c.After.Kind == KindMissing {
		c.Gone = edit.Made
	}
	if c.Before, ok = s.tree.targets(b.head)[c.Path]; ok {
		return c, true
	}
	if place, existed := b.was.place(c.Path); existed {
		c.Before = b.was.statesOf([]int{place}, s.Secret)[0]
		return c, true
	}
	since := b.was.madeSince(b.was.inodes())
	c.Before, c.Made = FileState{Kind: KindMissing}, b.was.madeFolders(c.Path, since)
	return c, b.was.listed && since(c.Path)
}
