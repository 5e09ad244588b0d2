// Package notes keeps short facts for later sessions, each with the files that it rests on.
//
// A note is a list item of a Markdown file that people may edit, with a comment that says where it
// comes from and which files it rests on (its grounds), each with a hash of the content. A note
// whose grounds have changed is stale: it is kept, and never sent as if it were true. Nothing is
// sent that a user has not seen: a note that a model or another agent proposes is marked as proposed
// until a user agrees.
//
// A file is changed under a lock and replaced as a whole. What is no list item stays as it is.
package notes
