// Package session records a conversation in a log: an append-only file of JSON lines. The log
// observes every mutation of the history (D-24), and can be replayed into the state it describes.
//
//	{"v":1,"seq":1,"ts":"2026-11-21T09:30:12Z","type":"session","prev":"","payload":{…}}
//	{"v":1,"seq":2,"ts":"2026-11-21T09:30:15Z","type":"entry","tokens":{"o200k_base":[12]},"prev":"3476031b…","payload":{"speaker":"human",…}}
//
// The line of an entry also contains the token counts of its blocks, so that a long session opens
// without counting them again.
//
// Each line also contains the hash of the previous line, so that a later change is detected (Verify).
//
// Replaying the log results in the current context. The log only grows. A record that prunes or
// replaces entries contains the numbers of the records in which they were written, so that they can
// be recalled. A record is on disk before the mutation counts as done. If it cannot be written, it
// waits in memory and is written with the next one, in order. The conversation continues, and CheckSaved
// reports the failure. The file is created with the first entry.
//
// A log may be much longer than the context. The first pass stores only the position of each record.
// A second pass reads the entries that are in the context at the end. All other entries are read when
// they are requested.
//
// Later records refer to an entry by the number (seq) of the record that wrote it, and never by its
// position. A damaged line therefore loses only its own entry, and shifts no other.
package session
