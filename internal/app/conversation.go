package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"agent/internal/app/extensions"
	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/base/secret"
	"agent/internal/chat"
	"agent/internal/extend/setup/consent"
	"agent/internal/history"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/todo"
	"agent/internal/tools"
	"agent/internal/websearch"
)

// A Conversation is a turn loop in a workspace, with everything that the loop needs. Run or Chat.Prompt
// runs the conversation; the other methods of Chat control it; Close ends it.
type Conversation struct {
	Chat *chat.Chat
	// Notices holds lines for a user to read at the start.
	Notices []string
	// Connection connects to the endpoint.
	Connection *provider.Connection
	// Recorded holds the entries of the session that was resumed.
	Recorded []*history.Content
	// Brought holds the instructions, skills and commands.
	Brought *extensions.Extensions
	// Servers holds the MCP servers in use.
	Servers *mcphost.Servers
	// Hooking holds the hooks. Subagents holds the subagents.
	Hooking   *hookgates.Hooks
	Subagents *Subagents
	// Programs runs the programs that the user configured for the status line and for notifications.
	Programs *Programs
	// Trust holds the user's decisions about the items of the repository that need consent to be run,
	// connected to or allowed.
	Trust *consent.Trust
	// LeftOut lists the parts of the configuration that cannot be used, with the reasons.
	LeftOut []string

	parts    *conversationParts
	registry *tools.Registry
	history  *history.Service
	ends     *closers
	line     *chat.Handle
}

// ID identifies the conversation within the program. Forking the session does not change it.
func (c *Conversation) ID() string { return c.parts.rec.id }

// SessionID returns the id of the session, "" if nothing is recorded.
func (c *Conversation) SessionID() string { return c.parts.rec.SessionID() }

// ResumeName returns the shortest name with which agent -r finds the session, "" if nothing is
// recorded.
func (c *Conversation) ResumeName() string { return c.parts.rec.resumeName() }

// Title returns the title that a user gave the session, "" for none.
func (c *Conversation) Title() string { return c.parts.rec.title() }

// DisplayTitle returns the title that lists show: the user's title, or otherwise the beginning of the first
// message.
func (c *Conversation) DisplayTitle() string { return secret.Redact(c.title()) }

// RecordSeq returns the number of the latest record of the session. It returns 0 if nothing is recorded, or if
// records are not on the disk yet.
func (c *Conversation) RecordSeq() (seq uint64) {
	if log := c.parts.rec.log; log != nil {
		if seq = log.Seq(); log.CheckSaved() != nil {
			return 0
		}
	}
	return seq
}

// SocketFolders returns the folders of the sockets of sessions, the preferred one first.
func (c *Conversation) SocketFolders() []string {
	return c.parts.at.process.SocketFolders(c.parts.at.folders)
}

// Version returns the version of the program.
func (c *Conversation) Version() string { return c.parts.at.process.Version }

// Settings returns the settings of the conversation.
func (c *Conversation) Settings() *settings.Settings { return c.parts.at.settings }

// Root returns the absolute path of the workspace.
func (c *Conversation) Root() string { return c.parts.at.workspace.Root() }

// Tools returns the tools that are offered to the model.
func (c *Conversation) Tools() *tools.Registry { return c.registry }

// History returns the entries of the conversation.
func (c *Conversation) History() *history.Service { return c.history }

// Todos returns the todo list.
func (c *Conversation) Todos() todo.List { return c.parts.host.Env.Todos.List() }

// TempDir returns the temporary folder of the conversation, "" if there is none.
func (c *Conversation) TempDir() string { return c.parts.at.workspace.TempDir() }

// MayWrite reports whether write_file could write a file of the workspace without approval.
func (c *Conversation) MayWrite(rel string) bool { return c.parts.host.MayWrite(rel) }

// Run runs the conversation until ctx ends. It returns a *PanicError if the turn loop panicked, which ends
// the conversation.
func (c *Conversation) Run(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = c.LogPanic(value)
		}
	}()
	c.Chat.Run(ctx)
	return nil
}

// Serve runs the conversation in another goroutine once ready is closed, or at once if ready is nil. The
// context serving ends when the conversation ends. The caller must call end. It stops the conversation,
// waits for it, and returns the *PanicError that ended it, or nil.
func (c *Conversation) Serve(ctx context.Context, ready <-chan struct{}) (serving context.Context, end func() error) {
	return c.serve(ctx, ready, func() {})
}

// ServeScreen is Serve for a screen. No goroutine runs the conversation after end returns, so that closing
// the screen waits for nothing.
func (c *Conversation) ServeScreen(ctx context.Context, ready <-chan struct{}) (serving context.Context, end func() error) {
	return c.serve(ctx, ready, func() { chat.CloseHandle(c.line) })
}

func (c *Conversation) serve(ctx context.Context, ready <-chan struct{}, after func()) (serving context.Context, end func() error) {
	serving, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer after()
		if ready != nil {
			select {
			case <-ready:
			case <-serving.Done():
				return
			}
		}
		if err := c.Run(serving); err != nil {
			cancel(err)
		}
	}()
	return serving, func() error {
		cancel(nil)
		<-ended
		if defect, met := errors.AsType[*PanicError](context.Cause(serving)); met {
			return defect
		}
		return nil
	}
}

// Close releases the resources of the conversation, the newest first.
func (c *Conversation) Close() { c.ends.close(c.parts.at.process.say) }

// A PanicError reports a panic of the turn loop.
type PanicError struct {
	// Value is the value of the panic. Log is the path of the log file with the stack.
	Value any
	Log   string
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("Internal error: %v. The session is saved; details are in %s", e.Value, e.Log)
}

// LogPanic logs a panic of the turn loop. It must be called on the goroutine that recovered from
// the panic.
func (c *Conversation) LogPanic(value any) *PanicError {
	c.parts.rec.logger.Error("the turn loop panicked", "panic", fmt.Sprint(value), stackKey, string(debug.Stack()))
	return &PanicError{value, c.parts.at.process.log.Path}
}

// CheckCostLimit returns an InputError if max-cost is set but the prices of the model are unknown, so that the
// limit cannot be enforced. It is for runs in which no user sees a notice.
func (c *Conversation) CheckCostLimit() error {
	limit, limited := settings.MaxCost.Get(c.parts.at.settings)
	if limited && settings.WebSearch.Value(c.parts.at.settings) != websearch.Off {
		if _, known := c.parts.web.Searcher.Price(); !known {
			return InputError{Err: fmt.Errorf("can't enforce max-cost %v: the price of a search is unknown. Set web-search.price, or set web-search to off", limit)}
		}
	}
	model := settings.Model.Value(c.parts.at.settings)
	if _, known := settings.PricesOf(c.parts.at.settings, c.Connection.Prices(model)); !limited || known || c.Connection.IsFree() {
		return nil
	}
	return InputError{Err: fmt.Errorf("can't enforce max-cost %v: the prices of %s are unknown. Set price.input and price.output, or omit max-cost", limit, model)}
}
