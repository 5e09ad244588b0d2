// Package editor hands conversations to package acp, which speaks to an editor.
package editor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"agent/internal/acp"
	"agent/internal/app"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/todo"
	"agent/internal/traits"
	"agent/internal/words"
)

// Agent makes the conversations of an editor.
type Agent struct {
	Process *app.Process
	// Make makes a conversation in a folder, which continues the session of an id, "" for
	// none.
	Make func(ctx context.Context, folder, id string, front app.Options) (*app.Conversation, error)
}

// Version implements acp.Agent.
func (a Agent) Version() string { return a.Process.Version }

// Images implements acp.Agent. Whether a model takes images is known when it is used.
func (a Agent) Images() bool { return true }

// Open implements acp.Agent.
func (a Agent) Open(ctx context.Context, folder, id, servers string, emit func(chat.Event), gates ...gate.Gate) (acp.Conversation, error) {
	c, err := a.Make(ctx, folder, id, app.Options{Events: func(e chat.Envelope) { emit(e.Event) }, Connect: app.Find, Gates: gates, EditorServers: servers})
	var missing *session.NotFoundError
	var locked *session.LockedError
	switch {
	case errors.As(err, &missing):
		return nil, errors.Join(acp.ErrNoSession, err)
	case errors.As(err, &locked):
		return nil, &acp.HeldError{Err: err}
	case errors.Is(err, provider.ErrNoEndpoint):
		return nil, &acp.SignInError{Err: err}
	case err != nil:
		return nil, err
	}
	return &conversation{c, c.Commands(ctx, c.Chat, app.Screen{})}, nil
}

// List implements acp.Agent.
func (a Agent) List(folder string) ([]acp.Listed, error) {
	f, err := a.Process.Folders()
	if err != nil {
		return nil, err
	}
	infos, err := session.List(f.Sessions(), folder)
	if err != nil {
		return nil, err
	}
	var listed []acp.Listed
	for _, info := range infos {
		listed = append(listed, acp.Listed{ID: info.ID, Workspace: info.Workspace, Title: info.Title, Updated: info.Used.UTC().Format(time.RFC3339)})
	}
	return listed, nil
}

// Delete implements acp.Agent.
func (a Agent) Delete(id string) error {
	f, err := a.Process.Folders()
	if err != nil {
		return err
	}
	infos, err := session.List(f.Sessions(), "")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(infos, func(info session.Info) bool { return info.ID == id })
	if i < 0 {
		return acp.ErrNoSession
	}
	return f.DeleteSession(infos[i])
}

// conversation is a conversation as an editor drives it.
type conversation struct {
	*app.Conversation
	commands *command.Commands
}

func (c *conversation) Notices() []string            { return c.Conversation.Notices }
func (c *conversation) Recorded() []*history.Content { return c.Conversation.Recorded }
func (c *conversation) Todos() todo.List             { return c.Env.Todos.List() }
func (c *conversation) Root() string                 { return c.Chat.Root }

// Consent implements acp.Conversation.
func (c *conversation) Consent() *acp.Consent {
	t := c.Trust
	waiting, _ := t.Waiting() // that answers cannot be read was said
	if len(waiting) == 0 {
		return nil
	}
	q := &acp.Consent{Title: consent.Title(waiting), Agree: func() error {
		_, err := t.Answer(true)
		return err
	}}
	for _, part := range t.Parts(waiting) {
		q.Lines = append(q.Lines, part.Title)
		for _, line := range part.Lines {
			q.Lines = append(q.Lines, "  "+line)
		}
	}
	return q
}

func (c *conversation) Traits(tool string) traits.Traits {
	found, err := c.Tools.Get(tool)
	if err != nil {
		return traits.Traits{}
	}
	return found.Traits
}

// The options that an editor shows besides the approval mode.
const (
	optionModel  = "model"
	optionEffort = "thought_level"
)

func (c *conversation) Options() []acp.Option {
	modes := acp.Option{ID: "mode", Name: "Approval mode", Category: "mode", Current: string(c.Mode())}
	for _, name := range gate.ModeNames() {
		modes.Values = append(modes.Values, acp.OptionValue{Value: name, Name: name})
	}
	options := []acp.Option{modes}
	model := settings.Model.Of(c.Settings)
	if listed := c.Connection.Listed(); model != "" || len(listed) > 0 {
		options = append(options, choice(acp.Option{ID: optionModel, Name: "Model", Category: "model", Current: model}, listed, cmp.Or(model, "none chosen")))
	}
	if efforts := c.Connection.Efforts(model); len(efforts) > 0 {
		options = append(options, choice(acp.Option{ID: optionEffort, Name: "Thinking", Category: "thought_level", Current: settings.ReasoningEffort.Of(c.Settings)}, efforts, "default"))
	}
	return options
}

// choice completes an option with its values. The current one is called other where it is
// not among them.
func choice(o acp.Option, values []string, other string) acp.Option {
	if !slices.Contains(values, o.Current) {
		o.Values = []acp.OptionValue{{Value: o.Current, Name: words.Line(other, 0)}}
	}
	for _, value := range values {
		o.Values = append(o.Values, acp.OptionValue{Value: value, Name: words.Line(value, 0)})
	}
	return o
}

func (c *conversation) SetOption(ctx context.Context, id, value string) error {
	keys := map[string]string{"mode": settings.ApprovalMode.Key(), optionModel: settings.Model.Key(), optionEffort: settings.ReasoningEffort.Key()}
	key := keys[id]
	if key == "" {
		return errors.New("there is no option " + id)
	}
	_, err := c.commands.RunArgs(ctx, "set", []string{key, value})
	return err
}

func (c *conversation) Commands() []acp.Command {
	var commands []acp.Command
	for _, one := range c.commands.All() {
		commands = append(commands, acp.Command{Name: one.Name, Description: one.Help, Hint: one.Forms[0].Args, Aliases: one.Aliases})
	}
	return commands
}

func (c *conversation) Command(ctx context.Context, line string) (lines []string, submit string, err error) {
	out, err := c.commands.Run(ctx, line)
	return out.Plain(), out.Submit, err
}
