package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"agent/internal/acp"
	"agent/internal/app"
	"agent/internal/chat"
	"agent/internal/cli"
	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/setup/trust"
	"agent/internal/todo"
	"agent/internal/traits"

	"github.com/spf13/cobra"
)

func newACP(w world) *cobra.Command {
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Be driven by an editor over the Agent Client Protocol",
		Long: `Speaks the Agent Client Protocol, version 1, over standard input and output, for
editors such as Zed, JetBrains' and Emacs. Each session of the editor is a conversation
in the folder that the editor names. What is for people goes to standard error.`,
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runACP(cmd.Context(), w, o) },
	}
	o.settingsOptions.register(cmd, w)
	f := cmd.Flags()
	f.StringVar(&o.approvalMode, "approval-mode", "", strings.Join(gate.ModeNames(), ", "))
	f.StringArrayVar(&o.allow, "allow", nil, "allow calls that match `TOOL(PATTERN)` without asking (repeatable)")
	f.StringArrayVar(&o.allowOutside, "allow-outside", nil, "let commands that match `TOOL(PATTERN)` out of the sandbox without asking (repeatable)")
	f.StringVar(&o.maxTurns, "max-turns", "", "at most `N` model requests per prompt (default unlimited)")
	f.StringVar(&o.maxCost, "max-cost", "", "send nothing more once this run has cost `USD`, where prices are known")
	f.BoolVar(&o.trustProject, "trust-project", false, trustProjectHelp)
	f.BoolVar(&o.debug, "debug", false, "log what the program does to its log file")
	return cmd
}

func runACP(ctx context.Context, w world, o sessionOptions) error {
	log, err := w.startLog(o.debug)
	if err != nil {
		return err
	}
	if _, err := w.Settings(o.sources()); err != nil {
		return err
	}
	w.Say = nil // what is for people goes to the editor as notices
	return acp.Serve(ctx, editorAgent{w, o}, w.stdin, w.stdout, log.Logger)
}

// editorAgent makes the conversations of an editor.
type editorAgent struct {
	w world
	o sessionOptions
}

func (a editorAgent) Version() string { return version }

// Images implements acp.Agent. Whether a model takes images is known when it is used.
func (a editorAgent) Images() bool { return true }

func (a editorAgent) Open(ctx context.Context, folder, id, servers string, emit func(chat.Event), gates ...gate.Gate) (acp.Conversation, error) {
	o := a.o
	o.workspace, o.resume = folder, id
	c, err := newConversation(ctx, a.w, o, app.Options{Events: func(e chat.Envelope) { emit(e.Event) }, Connect: app.Find, Gates: gates, EditorServers: servers})
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
	return &editorConversation{c, c.Commands(ctx, c.Chat, app.Screen{})}, nil
}

func (a editorAgent) List(folder string) ([]acp.Listed, error) {
	f, err := a.w.Folders()
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

func (a editorAgent) Delete(id string) error {
	f, err := a.w.Folders()
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

// editorConversation is a conversation as an editor drives it.
type editorConversation struct {
	*app.Conversation
	commands *command.Commands
}

func (c *editorConversation) Notices() []string            { return c.Conversation.Notices }
func (c *editorConversation) Recorded() []*history.Content { return c.Conversation.Recorded }
func (c *editorConversation) Todos() todo.List             { return c.Env.Todos.List() }
func (c *editorConversation) Root() string                 { return c.Chat.Root }

// Consent implements acp.Conversation.
func (c *editorConversation) Consent() *acp.Consent {
	t := c.Trust
	waiting, _ := t.Waiting() // that answers cannot be read was said
	if len(waiting) == 0 {
		return nil
	}
	q := &acp.Consent{Title: trust.Title(waiting), Agree: func() error {
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

func (c *editorConversation) Traits(tool string) traits.Traits {
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

func (c *editorConversation) Options() []acp.Option {
	modes := acp.Option{ID: "mode", Name: "Approval mode", Category: "mode", Current: string(c.Mode())}
	for _, name := range gate.ModeNames() {
		modes.Values = append(modes.Values, acp.OptionValue{Value: name, Name: name})
	}
	options := []acp.Option{modes}
	if model := settings.Model.Of(c.Settings); model != "" {
		options = append(options, acp.Option{ID: optionModel, Name: "Model", Category: "model", Current: model, Values: []acp.OptionValue{{Value: model, Name: model}}})
	}
	if efforts := c.Connection.Efforts(settings.Model.Of(c.Settings)); len(efforts) > 0 {
		effort := acp.Option{ID: optionEffort, Name: "Thinking", Category: "thought_level", Current: settings.ReasoningEffort.Of(c.Settings)}
		for _, value := range efforts {
			effort.Values = append(effort.Values, acp.OptionValue{Value: value, Name: value})
		}
		if !slices.Contains(efforts, effort.Current) {
			effort.Values = slices.Insert(effort.Values, 0, acp.OptionValue{Value: effort.Current, Name: "default"})
		}
		options = append(options, effort)
	}
	return options
}

func (c *editorConversation) SetOption(ctx context.Context, id, value string) error {
	keys := map[string]string{"mode": settings.ApprovalMode.Key(), optionModel: settings.Model.Key(), optionEffort: settings.ReasoningEffort.Key()}
	key := keys[id]
	if key == "" {
		return errors.New("there is no option " + id)
	}
	_, err := c.commands.RunArgs(ctx, "set", []string{key, value})
	return err
}

func (c *editorConversation) Commands() []acp.Command {
	var commands []acp.Command
	for _, one := range c.commands.All() {
		hint := ""
		if len(one.Usage) > 0 {
			hint = one.Usage[0].Args
		}
		commands = append(commands, acp.Command{Name: one.Name, Description: one.Help, Hint: hint})
	}
	return commands
}

func (c *editorConversation) Command(ctx context.Context, line string) (lines []string, submit string, err error) {
	out, err := c.commands.Run(ctx, line)
	return out.Plain(), out.Submit, err
}
