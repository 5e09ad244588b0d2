// Package find searches the records of sessions for words, exactly and without a model.
//
// A document is one entry of a session: a message, a reply with its calls, or a result. Its text
// has no secrets. A word of a query matches a word of the text that is the same, or that begins
// with it if it has four letters or more; case does not matter. Documents are ordered by the
// number of words that match, then latest first.
//
// The index says which words are in which documents, and nothing else: every passage is read from
// the records. It is a folder of segments. A segment covers parts of some logs and never grows
// beyond a bound, so that a log that has grown costs no more than its new part, and a deleted log
// no more than the segments that have its words. Each segment is replaced as a whole, and all that
// is read of it is checked against a sum. A segment that is damaged, or whose logs have changed
// otherwise than by growing, is thrown away and made anew. The whole index can be deleted.
package find
