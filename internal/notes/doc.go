// Package notes stores short facts for later sessions, each with the files on which it is based.
//
// A note is a list item of a Markdown file that users may edit. It has a comment with its origin and
// the files on which it is based, each with a hash of the content. A note is stale if one of these
// files has changed. A stale note is kept, but not sent to the model. Nothing is sent that the user has
// not seen: a note that a model or another coding agent proposes is marked as proposed until the user
// approves it.
//
// A file is changed under a lock and replaced as a whole. Text that is not a list item is kept
// unchanged.
package notes
