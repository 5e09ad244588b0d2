// Package sessionsearch searches the records of sessions for words, exactly and without a model or an index.
//
// A document is one entry of a session: a message, a reply with its calls, or a result. Its text
// has no secrets. A word of a query matches a word of the text that is the same, or that begins
// with it if it has four letters or more; case does not matter. Documents are ordered by the
// number of words that match, then latest first.
//
// A search reads every record as bytes and counts the words of the query in each line, which is an
// upper limit of the score. It then decodes the best lines, and only those.
package sessionsearch
