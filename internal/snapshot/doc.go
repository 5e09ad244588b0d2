// Package snapshot keeps the contents of files before the agent changes them, so that a
// person can go back: /undo, /redo, and a rewind to an earlier message.
//
// A Store belongs to a conversation. Tools call Edit before they change files and BeginCommand
// before a shell command; PlanUndo, PlanRedo and PlanRestore make a Plan, which Apply carries out.
//
// # Contents
//
// A store belongs to one session and lies in the program's state folder, never in
// the workspace. It holds the contents of files by their hash, and a journal of
// changes:
//
//	1 ── 2 ── 3      turn 1: two edits; turn 2: one
//	     └── 4       undone to 2, then turn 3 changed something else
//
// Every change is a node with the states of its files before and after. The workspace is at
// one node, the head; a [Mark] names a node. An undo goes from the head to the node before
// the turn's first, a redo goes back, and a rewind goes to any node at all. The journal only
// grows, so that going forward again stays possible.
//
// # Guarantees
//
// A store never blocks work: when it cannot keep a content, because
// the disk is full, the file is too large or may hold keys, the edit continues and a
// warning names it. A plan, on the other hand, is refused as a whole when a single file
// differs from the journal: somebody else changed the file, and their work is not
// overwritten. A content is only used while it has its hash.
//
// Contents are kept uncompressed: compressing them takes several times as long as writing
// them. They are not flushed either: a killed program loses nothing by that, and after a
// power cut a torn content no longer has its hash.
package snapshot
