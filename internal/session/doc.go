// Package session keeps the record of a conversation: an append-only file of JSON
// lines that observes every mutation of the history (D-24) and can be replayed
// into the state it describes.
//
//	{"v":1,"seq":1,"ts":"2026-11-21T09:30:12Z","type":"session","payload":{…}}
//	{"v":1,"seq":2,"ts":"2026-11-21T09:30:15Z","type":"entry","tokens":{"o200k_base":[12]},"payload":{"speaker":"human",…}}
//
// The tokens of an entry's blocks are beside it, so that a long session opens
// without counting it again.
//
// The log is the truth: the current context is what replaying gives. Nothing is
// ever taken out of it; what density pruned or a compression replaced can be
// recalled, for each says where it was recorded. A record is on disk before the
// mutation counts as done. When it cannot be written, it waits in memory and is written
// in order, with the next one; the conversation continues, and Unsaved says so.
// The file is made with the first entry.
//
// A log may be much longer than what is in the context. Reading one walks through all of
// it, keeping only where each record is, and then reads again what the context at its end
// holds. What else led to it is read when somebody asks.
//
// Later records name entries by a reference, the seq of the record that brought
// them, and never by their position: a line that was damaged costs its own entry
// and shifts no other.
package session
