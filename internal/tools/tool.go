// Package tools defines the tools of the model: the type Tool, the registry, and the tools
// themselves. Similar tools share a file. The imported packages for command lines, the shell, the
// workspace, search, outlines and diffs are independent of tools.
//
// A [Tool] plans a call without any effect. The [Plan] has a [Preview] for the user who approves
// the call. It also has a function that applies exactly this plan and returns an [Answer]. A
// [Registry] belongs to a conversation and joins the tools of the program with the tools of
// servers. An [Env] belongs to a call. It holds the workspace, the limits and the other data that
// the call needs.
//
// Tools declare themselves by their traits. Approval, pruning, display and summaries use the
// traits, so no list of tool names is repeated elsewhere. A tool does not use the screen.
package tools

import (
	"context"
	"encoding/json"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/toolspec"
)

// Traits declares the properties of a tool.
type Traits = toolspec.Traits

// Tool is one thing the model can do.
type Tool struct {
	Name        string
	Description string
	// Schema is the JSON Schema of the parameters of another program's tool. For every tool,
	// Parameters returns the schema.
	Schema json.RawMessage
	// Free describes how the tool is offered to models that can write its argument as plain text.
	// It is nil for a tool that is offered in the same way to all models.
	Free *FreeForm
	// Server is set for a tool that the model's server runs by itself within the reply, such as its
	// web search.
	Server bool
	// Blocked lists the hosts that the server's web search omits.
	Blocked []string
	// Traits declares the effects of calls, and the words that describe calls.
	Traits

	// Plan plans a call without any effect. Nothing else decodes its arguments. An error means that
	// the call would fail with it. The model reads the error, and the user has nothing to approve.
	Plan func(ctx context.Context, env *Env, args arguments.Arguments) (Plan, error)

	// offers returns the JSON Schema of the parameters that requests declare. takes returns the
	// schema of all parameters that a call may have. Both are nil for a tool of another program,
	// whose calls stay unchanged.
	offers, takes func() json.RawMessage
}

// Parameters returns the JSON Schema of the parameters that requests declare.
func (t Tool) Parameters() json.RawMessage {
	if t.offers != nil {
		return t.offers()
	}
	return t.Schema
}

// FreeForm describes a tool whose only argument is a text.
type FreeForm struct {
	// Parameter is the name of that argument.
	Parameter   string
	Description string
	// Grammar describes the syntax of the text, in the format of Lark.
	Grammar string
}

// PlanCall plans a call. If the preview has no diff, command, plan or inquiries, PlanCall adds the
// arguments to it.
func (t Tool) PlanCall(ctx context.Context, env *Env, args arguments.Arguments) (Plan, error) {
	p, err := t.Plan(ctx, env, args)
	if p.Preview.Diff == "" && p.Preview.Command == "" && p.Preview.Inquiries == nil && p.Preview.Plan == "" && p.Preview.Arguments == nil {
		p.Preview.Arguments = args.Raw()
	}
	return p, err
}

// A Plan is a call that has been planned but not executed.
type Plan struct {
	// Preview is shown to the user who approves the call. For a harmless call, the user only
	// approves the access to protected files.
	Preview Preview
	// Begin is called before Apply, in the order of the calls of a reply, and does not wait. It is nil
	// for most calls.
	Begin func()
	// Apply has exactly the effect that Preview shows, or returns an error because something has
	// changed since. It is called at most once. A failure is an answer with Error set. Apply
	// returns soon after ctx ends.
	Apply func(ctx context.Context) Answer
	// Answered returns the answer of a call that asks the user, after the user has answered each of
	// Preview.Inquiries or approved Preview.Plan. It is called instead of Apply, which is called if
	// no user is present. Answered is nil for a call that asks nothing.
	Answered func([]InquiryAnswer) Answer
}

// A Preview shows a user the call to approve.
type Preview struct {
	// Title describes the call on one line, e.g. "edit internal/a.go" or "run go test ./...".
	Title string
	// Remark is the reason for the call in the model's own words. It does not describe the effect
	// of the call.
	Remark string
	// Diff is the unified diff of an edit.
	Diff string
	// Note lists the places that a rename leaves unchanged, one per line. It is empty for most edits.
	Note string
	// Command is the whole command line of a shell call. Directory is the folder of the workspace
	// in which it runs, empty for the workspace itself. Background is set if the command
	// continues in the background.
	Command, Directory string
	Background         bool
	// Arguments holds the arguments of a call without a Diff, Command, Inquiries or Plan, which the
	// user then approves. [Tool.PlanCall] sets them if the tool does not.
	Arguments json.RawMessage
	// Inquiries holds the questions of the call to the user, who answers them instead of
	// approving the call.
	Inquiries []Inquiry
	// Plan is the model's plan in Markdown, for a call that requests approval of a plan.
	Plan string
	// Served is set for a call of a server's tool, prompt or resource.
	Served *ServerCall
	// Service is the service that a web search would use. Hosts are the hosts to which it is
	// confined.
	Service string
	Hosts   []string
	// Paths lists the files that an edit would change, or the secret files that a call would read.
	// The paths are relative to the workspace.
	Paths []string
	// ReadOnly is set if the call changes nothing, or only ends a job of this conversation. It then
	// needs no approval, even if other calls of the tool do.
	ReadOnly bool
	// Confined is set if a command runs in the sandbox, where it can change nothing but the
	// workspace, unless the workspace is Unwatched.
	Confined bool
	// Sandboxed is set if a command runs in the sandbox, even if it requires approval because the
	// workspace is Unwatched.
	Sandboxed bool
	// Unwatched is the reason why an edit or a confined command requires approval although the mode
	// would allow it. The workspace has more folders than can be watched, or contains the home
	// folder. It is empty otherwise.
	Unwatched string
	// AtHome is set if an edit or a command requires approval even in full-auto. The reason is that
	// the workspace contains the home folder and no user named the workspace.
	AtHome bool
	// Because is the reason why a rule or a hook requires approval, empty if none does. Title ends
	// with it, but Title is not shown for a command.
	Because string
	// Outside is the reason why a command leaves the sandbox, empty if the command stays inside.
	Outside string
	// FoundInside is set if the command is not confined and names a program that PATH finds in a
	// folder that commands may write. Such programs are among Protected.
	FoundInside bool
	// hidden lists files that a read-only command must not read, because no user approved that.
	hidden []string
	// Protected lists the files that the call would change, run or show the model, and that require
	// separate approval (D-60).
	Protected []protect.File
	// Commands holds the parts of Command that are not known to be read-only and that rules must
	// allow. It is empty if Command cannot be parsed, in which case only the rule "*" allows it.
	Commands []cmdline.Command
}

// An Inquiry is one question of the model to the user. The user may also answer every
// question in their own words.
type Inquiry struct {
	// Question is the text of the question.
	Question string `json:"question"`
	// Header names the subject in a word or two; it may be empty.
	Header string `json:"header,omitempty" jsonschema:"a word or two"`
	// Options lists the choices, the recommended one first.
	Options []Option `json:"options" jsonschema:"2 to 4, the recommended one first"`
	// Several is set if the user may choose more than one option.
	Several bool `json:"multiSelect,omitempty"`
	// YesNo is set if the first of two options means yes and the second means no. The keys y and n
	// then choose them.
	YesNo bool `json:"-"`
	// Draft is a text that the user may edit before approving it. Words of the answer then holds
	// the edited text. Without a draft, the user may answer in their own words.
	Draft string `json:"-"`
}

// Option is a choice of an inquiry.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// InquiryAnswer is the user's answer to one inquiry.
type InquiryAnswer struct {
	// Chosen holds the labels of the chosen options, in their order.
	Chosen []string
	// Words is the answer in the user's own words, empty if the user wrote nothing.
	Words string
}

// String returns the answer on one line.
func (g InquiryAnswer) String() string {
	said := g.Chosen
	if g.Words != "" {
		said = append(said[:len(said):len(said)], humanize.FirstLine(g.Words))
	}
	return strings.Join(said, ", ")
}

// ServerCall is a call of a server, such as an MCP server.
type ServerCall struct {
	// Server is the name of the server, Tool that of its tool. Tool is "*" if the call uses no
	// tool, such as for reading a resource.
	Server, Tool string
	// Definition identifies the server's definition of the tool. A user allows the tool with
	// this definition only.
	Definition string
	// Changed shows how the definition differs from the definition in the previous calls, as lines
	// with + or -. It is empty if nothing differs. A changed tool runs only after a user allows it.
	Changed string
	// Allowed is set if the user's own configuration allows the call.
	Allowed bool
	// EachTime is set if the server declares the tool destructive, so that it can be allowed for
	// one call only.
	EachTime bool
}

// ServedRules is the tool name in rules for calls of servers: mcp(SERVER/TOOL).
const ServedRules = "mcp"

// String returns the called tool in the form used in rules: SERVER/TOOL.
func (s ServerCall) String() string { return s.Server + "/" + s.Tool }

// HookName returns the name of the tool in the hooks of other coding agents.
func (s ServerCall) HookName() string { return "mcp__" + s.Server + "__" + s.Tool }
