// Package sessionsearch searches the records of sessions for words, exactly and without a model or an
// index.
//
// A document is one entry of a session: a message, a reply with its calls, or a result. Its text contains
// no secrets. A word of a query matches the same word in the text. A word of four letters or more also
// matches the longer words that begin with it. Case does not matter. Documents are ordered by the number of
// words that match, then latest first.
//
// A search reads every record as bytes and counts the words of the query in each line. That count is an
// upper limit of the score. It then decodes only the best lines.
package sessionsearch
