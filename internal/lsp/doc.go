// Package lsp asks language servers about the names in a workspace: where a name is declared, who
// uses it, and which edits rename it. It speaks the Language Server Protocol 3.17 over the standard
// input and output of programs that it starts in the sandbox.
//
// A [Pool] holds the running servers of the process. A [Folder] is the view of a conversation: it
// starts a server at the first question about its language. A server is not trusted. Messages have
// a size limit, questions have a time limit, and [Place.In] reports a range that is not in the file.
// The package shows nothing of a file. Callers decide which places the model may see.
package lsp
