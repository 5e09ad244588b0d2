package tools

import (
	"context"
	"io"

	"agent/internal/protect"
	"agent/internal/sandbox"
	"agent/internal/shell"
	"agent/internal/snapshot"
	"agent/internal/todo"
	"agent/internal/workspace"
)

// An Env holds the data that a call needs: the state of the conversation, and the limits and the
// output of this call. Its methods are safe for parallel use.
type Env struct {
	// Workspace confines all paths.
	Workspace *workspace.Workspace
	// Limits limits results.
	Limits Limits
	// Seen holds the content of each file that the model has seen, to refuse edits of files that
	// have changed since.
	Seen *SeenFiles
	// Snapshots keeps the contents of files before calls change them; nil keeps nothing.
	Snapshots *snapshot.Store
	// Asked reports whether a message of the user names a file; nil means that none does.
	Asked func(abs string) bool
	// Todos is the todo list of the conversation.
	Todos *todo.Board
	// Archive holds the pruned content; nil if the conversation is not recorded.
	Archive Archive
	// Sessions holds the earlier sessions of the repository; nil if they are not searched.
	Sessions Sessions
	// Manual returns a page or sections of the program's documentation for some words; nil if there
	// is no documentation.
	Manual func(words string) (text string, found bool)
	// Notes stores facts for later sessions; nil disables notes.
	Notes Notes
	// Jobs holds the background commands of the shell tool.
	Jobs *shell.Jobs
	// Confinement returns the present sandbox for commands; a nil function means no sandbox.
	Confinement func() sandbox.Confinement
	// Protected holds the paths that need protection, besides the files that are known by name.
	Protected protect.ProtectionRules
	// Documents reports whether the model accepts PDF files; nil means that it does not.
	Documents func() bool
	// Hosts returns an error if pages of a host must not be fetched, also after a redirect. A nil
	// function allows all hosts.
	Hosts func(host string) error
	// Named is set if a user named the workspace, and so accepts that it contains the home folder.
	Named bool
	// Advised records the sandbox advice that calls of this reply received; nil records nothing.
	Advised *AdviceGiven
	// Call and CallID are the number and the id of the call. They are set for one call.
	Call   int
	CallID string
	// OfAgent is set in the conversation of a subagent, whose commands the user does not see one by
	// one. No key can move them to the background.
	OfAgent bool
	// Typed is set if the user typed the command. It is set for one call.
	Typed bool
	// Output receives the output of a command while it runs, for the screen; nil if no screen shows
	// the output. It is set for one call.
	Output io.Writer

	// mayReadKeys lists the secret files that this call may read, because a user approved it.
	mayReadKeys []string
}

// Limits holds the limits for the work and the results of calls.
type Limits struct {
	// OutputTokens limits the size of one result: the setting tool-output-max-tokens, less in a
	// small window (D-41).
	OutputTokens int
	// FoundTokens limits the answer of a command or a search, if it is lower than OutputTokens:
	// the setting found-max-tokens. A value below 1 sets no limit.
	FoundTokens int
	// OutlineTokens is the setting read-outline-tokens. A read of a whole file of at least this
	// size returns its outline. A value below 1 means never.
	OutlineTokens int
	// ReadLines is the setting file-read-max-lines.
	ReadLines int
	// ExactEdits is the setting edit-tolerance. It refuses an edit that quotes lines with other
	// indentation.
	ExactEdits bool
	// PrivateAddresses is the setting web-fetch.private.
	PrivateAddresses bool
	// ShellTimeoutSeconds is the setting shell-timeout-seconds.
	ShellTimeoutSeconds int
}

// An Archive holds the pruned content of a conversation, which the session log keeps. Its methods
// are safe for parallel use and return soon after ctx ends.
type Archive interface {
	// PrunedContent returns the list of pruned content, oldest first.
	PrunedContent(ctx context.Context) ([]RemovedContent, error)
	// Text returns the original content with this number. Unlike a call of Fetch, a call of Text
	// does not mean that the model needs the content.
	Text(ctx context.Context, number int) (string, error)
	// Fetch returns the original content with this number, or an error with the reason why it is
	// unavailable.
	Fetch(ctx context.Context, number int) (Excerpt, error)
}

// RemovedContent describes content that was pruned from the context.
type RemovedContent struct {
	// Number identifies the content for Fetch. Turn is the number of the user's message at which
	// the content was pruned. Tokens is the number of tokens that this freed.
	Number, Turn, Tokens int
	// What describes the content on one line: a call and its tool, or a message.
	What string
}

// Excerpt holds pruned content.
type Excerpt struct {
	// Heading names on one line the origin and the age of the content, and the later changes of its
	// file.
	Heading, Text string
}

// Sessions holds the earlier sessions of a repository. Its methods are safe for parallel use.
type Sessions interface {
	// Find returns passages that match a query, best first, each with its origin on a line before
	// it. remark is a remark on the query, "" for none. If session is not empty, Find returns only
	// passages of that session.
	Find(ctx context.Context, query, session string) (passages []string, remark string, err error)
	// Outline lists the messages of a session, one on each line.
	Outline(ctx context.Context, session string) (Excerpt, error)
	// Entry returns an entry of a session.
	Entry(ctx context.Context, session string, number int) (Excerpt, error)
}

// Notes stores notes for later sessions.
type Notes interface {
	// Remember prepares a note that depends on files, given as absolute paths. replaces is the ID
	// of the note to replace, empty for none. Remember changes nothing.
	Remember(text string, files []string, replaces string) (NoteDraft, error)
}

// NoteDraft is a note that is prepared but not stored.
type NoteDraft struct {
	// Text is the note as it would be stored. Replaces is the text of the note that it replaces.
	Text, Replaces string
	// Diff is the unified diff of the file of notes.
	Diff string
	// Asks is set if the note requires approval. Otherwise the note is stored as a proposal.
	Asks bool
	// Keep stores the note with a text, as a proposal unless a user approved it. said is the result
	// for the model, summary a short one for the user.
	Keep func(text string, agreed bool) (said, summary string, err error)
}
