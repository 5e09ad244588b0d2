package chat

import (
	"context"
	"log/slog"
	"time"

	"agent/internal/atcmd"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// Config holds the dependencies of a Chat. A Chat reaches the world outside only through them.
type Config struct {
	// ID distinguishes the conversation from others.
	ID string
	// Endpoint is the model server of the conversation.
	Endpoint Endpoint
	// Counter returns the token counter for a model.
	Counter func(model string) history.Counter
	Tools   *tools.Registry
	Env     *tools.Env
	// Root is the workspace folder that relative paths in calls mean.
	Root string
	// SessionRoot is the folder in which the session began, or "" if that is Root. Paths in
	// entries that name no workspace are relative to it (D-44).
	SessionRoot string
	History     *history.Service
	// Session records the conversation and observes History; nil if no record is kept.
	Session  *session.Log
	Settings *settings.Settings
	// Costs is the ledger that max-cost limits.
	Costs *Costs
	// System renders the system prompt.
	System SystemPrompt
	// Form returns the way in which the model in use edits files.
	Form func() toolspec.EditFormat
	// HeadFor names the model in use and its endpoint. The prompt and the tools are made again
	// when the name changes. Nil means that it never changes.
	HeadFor func() string
	// CompressionPrompt instructs a model to summarise (D-37).
	CompressionPrompt string
	// OtherModel connects to the model of a profile, for compression.profile. It may be called on
	// any goroutine. Nil means that no profiles exist.
	OtherModel func(profile string) (*OtherModel, error)
	// FallBack reports whether a request that failed is made again, because the settings name
	// another model now. It may be nil.
	FallBack func(ctx context.Context, failed FailedRequest) bool
	// TranscriptPath returns the file that keeps the whole conversation, or "" if no file does
	// (REQ-HD-012.1). It may be nil.
	TranscriptPath func() string
	// Extensions brings in the instructions, skills and commands of people and the repository.
	Extensions Extensions
	// KeepWaiting records the messages that wait and are not in the history yet, and returns when
	// they are on disk. It may be nil.
	KeepWaiting func([]atcmd.Message)
	// Waited holds the messages that still waited when the program that recorded them ended. Run
	// gives them back to the user.
	Waited []atcmd.Message
	// Policy holds the decisions about consent that were made before.
	Policy gate.Policy
	// Agents is the side of the conversation for its agents, with the line to it; nil has one made.
	Agents *Agents
	// Gates are passed by a planned call in addition to the mode, the loop guard and consent.
	Gates []gate.Gate
	// CacheKey is the same for all requests of a session and reveals nothing about the session.
	// Providers use the key to find the session's prompt in their cache.
	CacheKey string
	// Hooks runs the user's hooks for a moment of the conversation; nil if there are none. It
	// returns soon after ctx ends.
	Hooks func(ctx context.Context, m Moment) HookResult
	// Begun tells hooks where the conversation begins from; "" means a new conversation.
	Begun string
	// Answers has the answers to calls that the end of the program left unanswered, by the ids of
	// the calls. Other calls get the usual error.
	Answers map[string]string
	// Within is set for the conversation of an agent.
	Within *SubagentOf
	// Background has the agents of the conversation that run in the background; nil if there are
	// none. They end with the turn unless KeepsAgents is set.
	Background  Background
	KeepsAgents bool
	// Emit receives every event, in order, on the goroutine that owns the loop.
	Emit func(Event)
	// Log receives messages for developers; nil if nobody keeps them.
	Log *slog.Logger
	// Now returns the current time.
	Now func() time.Time
}

// Extensions are the parts that people and the repository add to a conversation.
type Extensions struct {
	// Expand turns a message of the user into blocks.
	Expand Expander
	// Below returns the instructions that apply to a file besides the instructions in the system
	// prompt. The file is given by its path as a call names it. Nil means none.
	Below func(file string) []NestedInstructions
	// News returns messages for the model that have not been sent yet, for the next request. It
	// may be nil.
	News func() []history.Block
	// Refreeze lets the system prompt and the tools take up changes that were held back to keep
	// the cache prefix. It is called after a compression and when the conversation is cleared.
	Refreeze func()
}

// Endpoint describes a model server to the loop.
type Endpoint interface {
	// Provider returns the provider for the current settings. The loop calls it before every
	// request, so that a changed endpoint is used from the next send on.
	Provider() (llm.Provider, error)
	// ContextLimit returns the size of a model's window in tokens, if it is known. The loop calls
	// it when the setting context-limit is unset.
	ContextLimit(model string) (tokens int, known bool)
	// Prices returns the prices of a model, or nil if they are unknown.
	Prices(model string) *settings.Prices
	// Cache describes the endpoint's cache for a model.
	Cache(model string) vendor.Cache
	// KeepCacheLife keeps for later sessions how long the cache was found to live.
	KeepCacheLife(model string, life time.Duration)
	// Local reports whether the endpoint is on this machine.
	Local() bool
	// Cuts reports whether the endpoint may be a server that cuts off long prompts without an
	// error.
	Cuts() bool
}
