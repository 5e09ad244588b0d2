// Package tools holds what the model can do: the contract of a tool, the registry, and
// the tools, those that are alike in one file. What several of them are built on is in
// the packages below, which know nothing of tools: command lines, the shell, the
// workspace, search, outlines, differences.
//
// Tools declare themselves by their traits: approval, pruning, display and summaries
// ask those, so that no list of tool names is repeated elsewhere. A tool knows no screen.
package tools

import (
	"context"
	"encoding/json"
	"io"

	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/sandbox"
	"agent/internal/shell"
	"agent/internal/snapshot"
	"agent/internal/todo"
	"agent/internal/traits"
	"agent/internal/workspace"
)

// Traits are what a tool declares of itself.
type Traits = traits.Traits

// Tool is one thing the model can do.
type Tool struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the parameters of another program's tool. Parameters returns
	// that of every tool.
	Schema json.RawMessage
	// Free is how the tool is offered to models that can write its argument as it is,
	// nil for as everywhere.
	Free *FreeForm
	// Traits declare what calls do and how they are said.
	Traits

	// Plan works out what a call would do, without any effect; nothing else decodes
	// its arguments. An error means that the call would fail with it, so that there is
	// nothing to approve; it is for the model to read.
	Plan func(ctx context.Context, env *Env, args json.RawMessage) (Plan, error)

	// offers returns the JSON Schema of the parameters that the model is told of, takes that of
	// all that a call may have. Both are nil for a tool of another program, whose calls stay
	// as they are.
	offers, takes func() json.RawMessage
}

// Parameters returns the JSON Schema of the parameters that the model is told of.
func (t Tool) Parameters() json.RawMessage {
	if t.offers != nil {
		return t.offers()
	}
	return t.Schema
}

// FreeForm offers a tool whose one argument is a text.
type FreeForm struct {
	// Parameter is the name of that argument.
	Parameter   string
	Description string
	// Grammar is what the text looks like, in the format of Lark.
	Grammar string
}

// Work plans a call. A preview that shows no diff, command or inquiry shows the
// arguments, whichever tool it is.
func (t Tool) Work(ctx context.Context, env *Env, args json.RawMessage) (Plan, error) {
	p, err := t.Plan(ctx, env, args)
	if p.Preview.Diff == "" && p.Preview.Command == "" && p.Preview.Inquiries == nil && p.Preview.Plan == "" && p.Preview.Arguments == nil {
		p.Preview.Arguments = args
	}
	return p, err
}

// Plan is a call worked out and not carried out.
type Plan struct {
	// Preview is what a person is asked to approve; of a call that is harmless only what
	// is protected is.
	Preview Preview
	// Apply does exactly what Preview shows, or refuses because the world is not any
	// more what it was. It is called at most once. A failure is an answer
	// with Error set. It returns soon after ctx ends.
	Apply func(ctx context.Context) Answer
	// Answered is the answer of a call that asks the person, once they answered each of
	// Preview.Inquiries, or agreed to Preview.Plan; it takes the place of Apply, which is
	// for where nobody is there to ask. It is nil for a call that asks nothing.
	Answered func([]Given) Answer
}

// Preview is what a person is asked to approve.
type Preview struct {
	// Title says it in a line, e.g. "edit internal/a.go" or "run go test ./...".
	Title string
	// Remark is what the model says beside the call of why it makes it; it says nothing of
	// what the call does.
	Remark string
	// Diff is the unified diff of an edit.
	Diff string
	// Command is the whole command line of a shell call, Directory the folder of the
	// workspace it runs in, empty for the workspace itself. It continues in the background
	// when Background is set.
	Command, Directory string
	Background         bool
	// Arguments are those of a call that has no Diff, Command, Inquiries or Plan: they are all
	// that there is to approve. [Tool.Work] sets them where the tool does not.
	Arguments json.RawMessage
	// Inquiries are what the call asks the person; they are answered, not approved.
	Inquiries []Inquiry
	// Plan is what the model means to do, in Markdown, for a call that asks the person to
	// agree to it.
	Plan string
	// Served is set for a call of what a server offers.
	Served *Served
	// Paths are the files that would change, relative to the workspace.
	Paths []string
	// ReadOnly is set when the call changes nothing, or ends what it began itself, so
	// that nobody need be asked although its kind asks.
	ReadOnly bool
	// Confined is set when a command runs in the sandbox, where it can change nothing
	// but the workspace.
	Confined bool
	// Sandboxed is set when a command runs in the sandbox, also if it is asked about as others
	// are because the workspace is Unwatched.
	Sandboxed bool
	// Unwatched says why an edit or a confined command is asked about although the mode
	// would not: the workspace has more than can be looked after. It is empty else.
	Unwatched string
	// AtHome is set when an edit or a command is asked about in full-auto too, because the
	// workspace holds the home folder and nobody named it.
	AtHome bool
	// Outside is why a command is to leave the sandbox, empty when it stays.
	Outside string
	// FoundInside is set when the command is not confined and names a program that is found
	// in a folder that commands may write. Such programs are among Protected.
	FoundInside bool
	// Protected are the files that the call would change, show the model or run, and that
	// deserve a question of their own (D-60).
	Protected []protect.Found
	// Commands are the parts of Command that are not known to be read-only and that
	// rules must allow. It is empty when Command is no plain command line; no rule
	// but "*" allows that.
	Commands []cmdline.Command
}

// Env is what a call works on: what the conversation has, with the limits and the
// screen of this call. Its methods are safe for parallel use.
type Env struct {
	// Workspace confines every path.
	Workspace *workspace.Workspace
	// Limits bound results.
	Limits Limits
	// Seen remembers which content of each file the model was shown, to refuse
	// edits of files that changed since.
	Seen *Seen
	// Snapshots keeps what files held before calls change them; nil keeps nothing.
	Snapshots *snapshot.Store
	// Todos is the list of what is to be done.
	Todos *todo.Board
	// Archive is what left the context; nil where it is not kept.
	Archive Archive
	// Jobs are the background commands of the shell tool.
	Jobs *shell.Jobs
	// Confinement returns the sandbox that commands run in at present; nil for none.
	Confinement func() sandbox.Confinement
	// Protected is what needs care besides what is known by its name.
	Protected protect.Places
	// Named is set when a person named the workspace, so that working in it is meant although
	// it holds the home folder.
	Named bool
	// Advised is what the calls of this reply were told of the sandbox; nil where nothing is
	// remembered.
	Advised *Advised
	// Typed is set when the user typed the command. It is set for one call.
	Typed bool
	// Output receives a command's output while it runs, for the screen; nil when
	// nobody watches. It is set for one call.
	Output io.Writer

	// mayReadKeys are the files with keys that this call may read, since it was asked
	// about them.
	mayReadKeys []string
}

// Limits bound what a call may take and return.
type Limits struct {
	// OutputTokens is what one result may take: the setting tool-output-max-tokens, less
	// in a small window (D-41).
	OutputTokens int
	// FoundTokens is what the answer of a command or a search may take, if that is less:
	// the setting found-max-tokens. A limit below 1 is none.
	FoundTokens int
	// ReadLines is the setting file-read-max-lines.
	ReadLines int
	// ExactEdits refuses an edit that quotes lines with other indentation: the setting
	// edit-tolerance.
	ExactEdits bool
	// PrivateAddresses is the setting web-fetch.private.
	PrivateAddresses bool
	// ShellTimeoutSeconds is the setting shell-timeout-seconds.
	ShellTimeoutSeconds int
}

// Served is a call of something that a server offers, such as an MCP server.
type Served struct {
	// Server and Tool are their names; Tool is "*" for what is no tool, such as reading.
	Server, Tool string
	// Definition identifies what the server says of the tool: a person allows it as it is.
	Definition string
	// Changed says how the definition differs from the one that was used before, a line
	// each with + or -; empty when it does not. Until a person allows it, nothing else does.
	Changed string
	// Allowed is set where the person's own configuration allows the call.
	Allowed bool
	// EachTime is set where the server says that the tool destroys something: it cannot be
	// allowed for more than one call.
	EachTime bool
}

// ServedRules is the name of the rules about calls of servers: mcp(SERVER/TOOL).
const ServedRules = "mcp"

// String names what is called as rules do.
func (s Served) String() string { return s.Server + "/" + s.Tool }

// HookName is the name by which other agents know the tool.
func (s Served) HookName() string { return "mcp__" + s.Server + "__" + s.Tool }
