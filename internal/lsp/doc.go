// Package lsp queries language servers about the names in a workspace: where a name is declared,
// where it is used, and which edits rename it. It implements the Language Server Protocol 3.17 over
// the standard input and output of programs that it starts in the sandbox.
//
// A [Pool] holds the running servers of the process. A [Folder] is the view of a conversation. It
// starts a server at the first request for its language. A server is not trusted: its messages have
// a size limit, requests have a time limit, and [Location.Offsets] reports a range that is not in
// the file. The package does not return the content of files. Callers decide which places the model
// may see.
package lsp
