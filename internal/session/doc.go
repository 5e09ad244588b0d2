// Package session keeps the record of a conversation: an append-only file of JSON
// lines that observes every mutation of the history (D-24) and can be replayed
// into the state it describes.
//
//	{"v":1,"seq":1,"ts":"2026-11-21T09:30:12Z","type":"session","prev":"","payload":{…}}
//	{"v":1,"seq":2,"ts":"2026-11-21T09:30:15Z","type":"entry","tokens":{"o200k_base":[12]},"prev":"3476031b…","payload":{"speaker":"human",…}}
//
// The line of an entry also has the token counts of its blocks, so that a long session opens
// without counting them again.
//
// Each line also has the hash of the line before, so that a later change is noticed (Verify).
//
// Replaying the log gives the current context. The log only grows. A record that
// prunes or replaces entries names the records in which they were written, so that they can
// be recalled. A record is on disk before the mutation counts as done. If it cannot be
// written, it waits in memory and is written with the next one, in order; the conversation
// continues, and Unsaved reports the failure. The file is made with the first entry.
//
// A log may be much longer than the context. The first pass notes only the place of each
// record; a second one reads the entries that the context still has at the end. All other
// entries are read when they are asked for.
//
// Later records name an entry by the number (seq) of the record that wrote it, and never by
// its position: a damaged line costs its own entry and shifts no other.
package session
