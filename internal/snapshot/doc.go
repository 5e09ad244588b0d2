// Package snapshot stores the contents of files before the agent changes them. They are needed for
// /undo, /redo, and a rewind to an earlier message.
//
// A Store belongs to a conversation. Tools call BeginEdit before they change files and BeginCommand
// before a shell command; PlanUndo, PlanRedo and PlanRestore return a Plan, which Apply executes.
//
// # Contents
//
// A store belongs to one session and is in the program's state folder, never in the workspace. It
// contains the contents of files by their hash, and a journal of changes:
//
//	1 ── 2 ── 3      turn 1: two edits; turn 2: one
//	     └── 4       undone to 2, then turn 3 changed something else
//
// Every change is a node with the states of its files before and after. The workspace is at one
// node, the head; a [Mark] names a node. An undo moves the head to the node before the turn's first
// node, a redo reverses an undo, and a rewind moves to any node. Nothing is removed from the
// journal, so that a redo stays possible.
//
// # Guarantees
//
// A store never blocks work. A content is not stored if the disk is full, the file is too large, or
// may be a secret file. The edit then continues, and a warning names the file. But a plan is
// refused as a whole if a single file differs from the journal. Another program changed that file,
// and its changes are not overwritten. A content is only used if it has its hash.
//
// Contents are stored uncompressed, because compressing them takes several times as long as writing
// them. They are not flushed to disk. A killed program loses nothing by this, and after a power
// failure an incomplete content does not have its hash.
package snapshot
