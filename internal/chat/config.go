package chat

import (
	"context"
	"log/slog"
	"time"

	"agent/internal/atcmd"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// Config holds the dependencies of a Chat, which has no other access to its environment.
type Config struct {
	// Endpoint is the model server of the conversation.
	Endpoint Endpoint
	// Counter returns the token counter for a model.
	Counter func(model string) history.Counter
	Tools   *tools.Registry
	Env     *tools.Env
	// Root is the workspace folder. Relative paths in calls are relative to it.
	Root string
	// SessionRoot is the folder in which the session began, or "" if it is Root. Paths in entries that
	// name no workspace are relative to SessionRoot (D-44).
	SessionRoot string
	History     *history.Service
	// Session records the conversation and observes History. It is nil if no log is kept.
	Session  *session.Log
	Settings *settings.Settings
	// Costs sums up the costs that max-cost limits.
	Costs *Costs
	// System renders the system prompt.
	System SystemPrompt
	// Form returns the edit format for the model in use.
	Form func() toolspec.EditFormat
	// HeadKey returns the model in use and its endpoint. The prompt and the tools are built again when
	// the result changes. Nil means that it never changes.
	HeadKey func() string
	// CompressionPrompt is the instruction for a model to write a summary (D-37).
	CompressionPrompt string
	// OtherModel connects to the model of a profile, for compression.profile. It may be called on any
	// goroutine. It is nil if no profiles exist.
	OtherModel func(profile string) (*OtherModel, error)
	// FallBack reports whether to send a failed request again, because the settings now name another
	// model. It may be nil.
	FallBack func(ctx context.Context, failed FailedRequest) bool
	// TranscriptPath returns the file that contains the whole conversation, or "" if there is none
	// (REQ-HD-012.1). It may be nil.
	TranscriptPath func() string
	// Extensions loads the instructions, skills and commands of the user and of the repository.
	Extensions Extensions
	// KeepWaiting records the waiting messages that are not in the history yet. It returns when they
	// are on disk. It may be nil.
	KeepWaiting func([]atcmd.Message)
	// Waited holds the messages that still waited when the earlier program ended. Run returns them to
	// the prompt.
	Waited []atcmd.Message
	// Policy holds the approval decisions that were made in advance.
	Policy gate.Policy
	// Agents connects the conversation with its subagents. If it is nil, New makes it.
	Agents *SubagentHost
	// Gates are additional gates for planned calls, besides the mode, the loop guard and consent.
	Gates []gate.Gate
	// CacheKey is the same for all requests of a session and reveals nothing about the session.
	// Providers use the key to find the session's prompt in their cache.
	CacheKey string
	// Hooks runs the user's hooks for an event of the conversation. It is nil if there are none. It
	// returns soon after ctx ends.
	Hooks func(ctx context.Context, m HookPoint) HookResult
	// Begun is the source of the conversation that hooks receive; "" means a new conversation.
	Begun string
	// Answers holds answers to the calls that were unanswered when the earlier program ended, by call
	// id. Other calls receive the usual error.
	Answers map[string]string
	// AsSubagent is set in the conversation of a subagent.
	AsSubagent *SubagentConfig
	// Background manages the background agents of the conversation. It is nil if there are none. The
	// agents end with the turn unless KeepsAgents is set.
	Background  Background
	KeepsAgents bool
	// Emit receives every event, in order, on the goroutine that owns the chat.
	Emit func(Event)
	// Log receives messages for developers. It may be nil.
	Log *slog.Logger
	// Now returns the current time.
	Now func() time.Time
}

// SystemPrompt renders the system prompt for a model with these tools, or a short prompt if lean is
// set. If the prompt contains instructions, SystemPrompt shortens them until fits accepts the prompt.
// It reports in cut whether it did.
type SystemPrompt func(lean bool, tools []string, fits func(prompt string) bool) (prompt string, cut bool)

// A FailedRequest is a request of the conversation that failed after all retries.
type FailedRequest struct {
	Err error
	// Tokens is the size of the context by our own count.
	Tokens int
	// Inquire puts questions to the user. It is nil if no user can be asked.
	Inquire Inquirer
}

// Extensions are the parts of a conversation that the user and the repository add.
type Extensions struct {
	// Expand turns a message of the user into blocks.
	Expand Expander
	// Below returns the instructions that apply to a file and are not in the system prompt. The file is
	// given by its path in a call. Below may be nil.
	Below func(file string) []NestedInstructions
	// News returns messages for the model that are not sent yet, for the next request. It may be nil.
	News func() []history.Block
	// Refreeze applies changes of the system prompt and the tools that were delayed to keep the cache
	// prefix. It is called after a compression and when the conversation is cleared.
	Refreeze func()
}

// Expander turns a message of the user into blocks. The blocks contain the text, its data, the files
// included with @, and the skills and commands that the message calls. It calls run for each shell
// command in the text of a skill or command.
type Expander func(ctx context.Context, message atcmd.Message, run RunEmbedded) (atcmd.Expansion, error)

// RunEmbedded runs a command in the text of a message. Like a call of the model, the command is parsed,
// approved and confined. refused is the reason why it was not run, or "" if it was. An error means that
// the message cannot be sent: ctx ended, or no user is present to approve the command. outside is the
// reason to run it outside of the sandbox, or "".
type RunEmbedded func(ctx context.Context, line, outside string) (output, refused string, err error)

// NestedInstructions holds instructions that apply to a file and are not in the system prompt.
type NestedInstructions struct {
	// Key identifies the source of Text, the content of the instructions.
	Key, Text string
}
