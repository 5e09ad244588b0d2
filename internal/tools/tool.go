// Package tools holds everything that the model can do: the contract of a tool, the registry, and
// the tools themselves. Similar tools share a file. The packages below do the work and know
// nothing of tools: command lines, the shell, the workspace, search, outlines, differences.
//
// A [Tool] plans a call without any effect; the [Plan] has a [Preview] for the user who
// approves the call, and a function that applies exactly this plan and returns an [Answer]. A
// [Registry] belongs to a conversation and joins the tools of the program with the tools of
// servers. An [Env] belongs to a call and holds the workspace, the limits and everything else
// that the call works on.
//
// Tools declare themselves by their traits. Approval, pruning, display and summaries ask the
// traits, so that no list of tool names is repeated elsewhere. A tool knows no screen.
package tools

import (
	"context"
	"encoding/json"
	"io"

	"agent/internal/base/arguments"
	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/sandbox"
	"agent/internal/shell"
	"agent/internal/snapshot"
	"agent/internal/todo"
	"agent/internal/toolspec"
	"agent/internal/workspace"
)

// Traits declares the properties of a tool.
type Traits = toolspec.Traits

// Tool is one thing the model can do.
type Tool struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the parameters of another program's tool. Parameters returns
	// the schema of every tool.
	Schema json.RawMessage
	// Free describes how the tool is offered to models that can write its argument as plain text.
	// It is nil for a tool that is offered in the same way to all models.
	Free *FreeForm
	// Server is set for a tool that the model's server runs by itself, within the reply: its search
	// of the web.
	Server bool
	// Blocked lists the hosts that a search by the server omits.
	Blocked []string
	// Traits declares the effects of calls, and the words that describe calls.
	Traits

	// Plan plans a call without any effect. Nothing else decodes its arguments. An error means
	// that the call would fail with it, so that a user has nothing to approve; the model reads
	// the error.
	Plan func(ctx context.Context, env *Env, args arguments.Arguments) (Plan, error)

	// offers returns the JSON Schema of the parameters that the model is told of, takes the
	// schema of all parameters that a call may have. Both are nil for a tool of another program,
	// whose calls stay unchanged.
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
	// Grammar describes the syntax of the text, in the format of Lark.
	Grammar string
}

// Work plans a call. A preview without a diff, a command, a plan or inquiries shows the
// arguments, whatever the tool is.
func (t Tool) Work(ctx context.Context, env *Env, args arguments.Arguments) (Plan, error) {
	p, err := t.Plan(ctx, env, args)
	if p.Preview.Diff == "" && p.Preview.Command == "" && p.Preview.Inquiries == nil && p.Preview.Plan == "" && p.Preview.Arguments == nil {
		p.Preview.Arguments = args.Raw()
	}
	return p, err
}

// A Plan is a call that has been planned but not carried out.
type Plan struct {
	// Preview is shown to the user who approves the call. For a harmless call, the user only
	// approves the use of protected files.
	Preview Preview
	// Begin is called before Apply, in the order of the calls of a reply, and does not wait. It is nil
	// for most calls.
	Begin func()
	// Apply does exactly the work that Preview shows, or refuses because the world has changed
	// since. It is called at most once. A failure is an answer with Error set. Apply returns soon
	// after ctx ends.
	Apply func(ctx context.Context) Answer
	// Answered returns the answer of a call that asks the user, after the user has answered
	// each of Preview.Inquiries or agreed to Preview.Plan. It is called in place of Apply, which
	// serves where no user is present to ask. Answered is nil for a call that asks nothing.
	Answered func([]InquiryAnswer) Answer
}

// A Preview shows a user the call to approve.
type Preview struct {
	// Title describes the call on one line, e.g. "edit internal/a.go" or "run go test ./...".
	Title string
	// Remark is the reason for the call in the model's own words. It is no description of the
	// call's effect.
	Remark string
	// Diff is the unified diff of an edit.
	Diff string
	// Command is the whole command line of a shell call. Directory is the folder of the workspace
	// in which it runs, empty for the workspace itself. Background is set if the command
	// continues in the background.
	Command, Directory string
	Background         bool
	// Arguments holds the arguments of a call that has no Diff, Command, Inquiries or Plan, so
	// that there is nothing else to approve. [Tool.Work] sets them if the tool does not.
	Arguments json.RawMessage
	// Inquiries holds the questions of the call to the user, who answers them instead of
	// approving the call.
	Inquiries []Inquiry
	// Plan is the model's plan in Markdown, for a call that asks the user to agree to a plan.
	Plan string
	// Served is set for a call of a server's tool, prompt or resource.
	Served *Served
	// Service is who a search of the web would ask, and Hosts are the hosts to which it is
	// confined.
	Service string
	Hosts   []string
	// Paths lists the files that an edit would change, or the files with keys that a call would
	// read, relative to the workspace.
	Paths []string
	// ReadOnly is set if the call changes nothing, or only ends one of its own jobs. Nobody need
	// be asked then, although calls of its kind ask.
	ReadOnly bool
	// Confined is set if a command runs in the sandbox, where it can change nothing but the
	// workspace, unless the workspace is Unwatched.
	Confined bool
	// Sandboxed is set if a command runs in the sandbox, even if it is asked about like any other
	// command because the workspace is Unwatched.
	Sandboxed bool
	// Unwatched is the reason to ask about an edit or a confined command that the mode would
	// allow: the workspace has more folders than can be watched, or holds the home folder. It is
	// empty otherwise.
	Unwatched string
	// AtHome is set if an edit or a command is asked about even in full-auto, because the
	// workspace holds the home folder and nobody named the workspace.
	AtHome bool
	// Because is the reason for which a rule or a hook has the user asked, empty if none does.
	// Title ends in it, which is not shown of a command.
	Because string
	// Outside is the reason for a command to leave the sandbox, empty if the command stays
	// inside.
	Outside string
	// FoundInside is set if the command is not confined and names a program that PATH finds in a
	// folder that commands may write. Such programs are among Protected.
	FoundInside bool
	// hidden lists files that a command which only looks must not read, since nobody was asked.
	hidden []string
	// Protected lists the files that the call would change, run or show the model, and that
	// deserve a question of their own (D-60).
	Protected []protect.File
	// Commands holds the parts of Command that are not known to be read-only and that rules must
	// allow. It is empty if Command is no plain command line, which only the rule "*" allows.
	Commands []cmdline.Command
}

// An Env holds everything that a call works on: the state of the conversation, and the limits and
// the screen of this call. Its methods are safe for parallel use.
type Env struct {
	// Workspace confines every path.
	Workspace *workspace.Workspace
	// Limits bound results.
	Limits Limits
	// Seen remembers the content of each file that the model was shown, to refuse edits of files
	// that have changed since.
	Seen *Seen
	// Snapshots keeps the contents of files before calls change them; nil keeps nothing.
	Snapshots *snapshot.Store
	// Asked reports whether a message of the user names a file; nil means that none does.
	Asked func(abs string) bool
	// Todos is the todo list of the conversation.
	Todos *todo.Board
	// Archive holds the content that left the context; nil if that is not kept.
	Archive Archive
	// Sessions holds the earlier sessions of the repository; nil if they are not searched.
	Sessions Sessions
	// Manual returns the page or the sections of the program's documentation for some words; nil
	// without documentation.
	Manual func(words string) (text string, found bool)
	// Notes keeps facts for later sessions; nil if none are kept.
	Notes Notes
	// Jobs holds the background commands of the shell tool.
	Jobs *shell.Jobs
	// Confinement returns the sandbox in which commands run at present; a nil function means no
	// sandbox.
	Confinement func() sandbox.Confinement
	// Protected holds the places that need care, besides the files that are known by name.
	Protected protect.Places
	// Documents reports whether the model takes PDFs as they are; nil means that it does not.
	Documents func() bool
	// Hosts returns an error if pages of a host must not be fetched, also where another page leads
	// there; nil bounds no host.
	Hosts func(host string) error
	// Named is set if a user named the workspace, and so means to work in it although it holds
	// the home folder.
	Named bool
	// Advised remembers the advice about the sandbox that calls of this reply were given; nil
	// remembers nothing.
	Advised *Advised
	// Call and CallID are the number and the id of the call. They are set for one call.
	Call   int
	CallID string
	// OfAgent is set in the conversation of an agent, whose commands the user does not see one by
	// one. They cannot be put into the background by a key.
	OfAgent bool
	// Typed is set when the user typed the command. It is set for one call.
	Typed bool
	// Output receives the output of a command while it runs, for the screen; nil if nobody
	// watches. It is set for one call.
	Output io.Writer

	// mayReadKeys lists the files with keys that this call may read, because a user was asked
	// about them.
	mayReadKeys []string
}

// Limits limits the work and the results of calls.
type Limits struct {
	// OutputTokens limits the size of one result: the setting tool-output-max-tokens, less in a
	// small window (D-41).
	OutputTokens int
	// FoundTokens limits the answer of a command or a search, if it is lower than OutputTokens:
	// the setting found-max-tokens. A value below 1 sets no limit.
	FoundTokens int
	// OutlineTokens is the size from which on a read of a whole file answers with its outline: the
	// setting read-outline-tokens. A value below 1 means never.
	OutlineTokens int
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

// Served is a call of a server, such as an MCP server.
type Served struct {
	// Server and Tool name the server and its tool. Tool is "*" if the call uses no tool, such as
	// for reading a resource.
	Server, Tool string
	// Definition identifies the server's definition of the tool. A user allows the tool with
	// this definition only.
	Definition string
	// Changed shows how the definition differs from the definition that was used before, as lines
	// with + or -. It is empty if nothing differs. A changed tool runs only after a user allows
	// it.
	Changed string
	// Allowed is set if the user's own configuration allows the call.
	Allowed bool
	// EachTime is set if the server says that the tool is destructive, so that it can be allowed
	// for one call only.
	EachTime bool
}

// ServedRules is the tool name in rules about calls of servers: mcp(SERVER/TOOL).
const ServedRules = "mcp"

// String returns the name of the called tool in the form of rules.
func (s Served) String() string { return s.Server + "/" + s.Tool }

// HookName returns the name that other agents give the tool.
func (s Served) HookName() string { return "mcp__" + s.Server + "__" + s.Tool }
