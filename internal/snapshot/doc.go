// Package snapshot keeps what files held before the agent changed them, so that a
// person can go back: /undo, /redo, and a rewind to an earlier message.
//
// # What is kept
//
// A store belongs to one session and lies in the program's state folder, never in
// the workspace. It holds the contents of files by their hash, and a journal of
// changes:
//
//	1 ── 2 ── 3      turn 1: two edits; turn 2: one
//	     └── 4       undone to 2, then turn 3 changed something else
//
// Every change is a node: its files as they were before and after. Where the
// workspace is now is one node, the head; a [Mark] names a node. To undo a turn is
// to go from the head to the node before the turn's first, to redo is to go back,
// and to rewind is to go to any node at all. Nothing is ever taken out of the
// journal, so that going forward again stays possible.
//
// # What is promised
//
// A store never gets in the way of work: when it cannot keep something, because
// the disk is full, the file is too large or may hold keys, the edit continues and a
// warning says what cannot be undone. A plan, on the other hand, is refused as a whole
// when a single file is not what the journal says it should be: somebody else changed it,
// and their work is not overwritten. A content is only used while it has its hash.
//
// Contents are kept as they are: compressing them takes several times as long as
// writing them. Nothing is flushed either: a killed program loses nothing by that, and
// after a power cut a torn content is known by its hash.
package snapshot
