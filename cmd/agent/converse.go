package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/app"
	"agent/internal/base/safeout"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/frontend/acp"
	"agent/internal/frontend/cli"
	"agent/internal/frontend/screen"
	"agent/internal/frontend/script"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/streamjson"
	"agent/internal/tui"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// runInteractive runs a session in the terminal. If no endpoint is configured, the user can choose one or
// the demo. If the user cannot choose, runInteractive starts the demo and prints a notice.
func runInteractive(ctx context.Context, w world, o sessionOptions) error {
	err := converseInTerminal(ctx, w, o, firstMinute(w, o))
	if errors.Is(err, provider.ErrNoEndpoint) {
		return runDemo(ctx, w, o, "This is the demo, with a scripted model. To use a real model, start agent again and choose one, or set OPENAI_API_KEY, or OPENAI_BASE_URL for your own server.")
	}
	return err
}

// converseInTerminal runs sessions, one after another, until the user quits.
func converseInTerminal(ctx context.Context, w world, o sessionOptions, endpoint app.Connector) error {
	var opened *app.Conversation // nil until the session is open
	before := ""                 // the id of the session before
	for {
		next, err := screen.Run(ctx, screen.Options{
			Process: w.process,
			Open: func(ctx context.Context, events func(chat.Event)) (*app.Conversation, error) {
				o.Events, o.Connect, o.Browse, o.Ask = events, endpoint, openInBrowser, askOnTerminal(w)
				o.AsksTrust, o.KeepsAgents = true, true
				c, err := newConversation(ctx, w, o)
				opened = c
				return c, err
			},
			Commands: func(c *app.Conversation) []command.Command {
				return []command.Command{w.loginInside(c), w.boardInside()}
			},
			BoardCommand: "/board",
			In:           w.stdin, Out: w.stdout, Text: w.out, NotifySignals: w.hear,
			Settled: func(ctx context.Context, c *app.Conversation) { tellPast(ctx, w, o, c) },
			Plain:   o.screenReader, Scratch: o.Record.Folder != "", Initial: o.message(w),
		})
		if errors.Is(err, tui.ErrTerminated) {
			return statusError(exitInterrupted)
		}
		switch {
		case err != nil && opened == nil && before != "" && ctx.Err() == nil: // the session of /resume could not be opened
			if err := w.tell(err.Error()); err != nil {
				return err
			}
			o.Record.Resume = before
			if f, err := w.process.Folders(); err == nil {
				if _, err := f.NamedSession("", before); err != nil { // it is empty, so it has no file
					o.Record.ID, o.Record.Resume = before, ""
				}
			}
			before = ""
			continue
		case err != nil:
			return err
		case next == "":
			return nil
		}
		before, opened = opened.SessionID(), nil
		o.Record.ID, o.Record.Resume, o.Record.Continue, o.Record.Fork, o.prompt, o.images = "", next, false, false, "", nil
	}
}

// askOnTerminal returns a function that asks the user a question before the screen starts, or nil if there
// is no terminal. Only "yes" or "y" counts as approval, unless the question offers Enter for yes.
func askOnTerminal(w world) app.Asker {
	if !term.IsTerminal(int(w.stdin.Fd())) {
		return nil
	}
	return func(ctx context.Context, question string) (bool, error) {
		shown := question
		if !strings.HasSuffix(question, yesByEnter) {
			shown += " [y/N]"
		}
		fmt.Fprint(w.people, shown+" ")
		answer, err := readLine(ctx, w.stdin)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		return err == nil && agrees(question, answer), err
	}
}

// readLine reads up to a line break and no further, because the screen reads the rest. It returns the text
// without surrounding blanks, or io.EOF if the input ends without any text.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	return safeout.ReadContext(ctx, func() (string, error) {
		var text []byte
		for one := make([]byte, 1); ; {
			n, err := in.Read(one)
			if n == 0 && errors.Is(err, io.EOF) && len(text) > 0 || n == 1 && one[0] == '\n' {
				err = nil
			} else if err == nil {
				text = append(text, one[:n]...)
				continue
			}
			return strings.TrimSpace(string(text)), err
		}
	})
}

// runHeadless runs one prompt to its end. It never reads from a terminal.
func runHeadless(ctx context.Context, w world, o sessionOptions, endpoint app.Connector) error {
	format, err := streamjson.ParseFormat(o.output)
	if err != nil {
		return usage(err)
	}
	schema, err := script.ReadSchema(o.answer.schema, w.process.Path)
	if err != nil {
		return usage(err)
	}
	answerFile := ""
	if o.answer.file != "" {
		answerFile = w.process.Path(o.answer.file)
	}
	status, err := script.Run(ctx, script.Options{
		In: w.stdin, Out: w.out, People: w.people, Now: w.process.Now,
		Open: func(ctx context.Context, front app.Options) (*app.Conversation, error) {
			o.Events, o.Unattended, o.Connect, o.FindingsHere = front.Events, front.Unattended, endpoint, schema != nil
			return newConversation(ctx, w, o)
		},
		Status: outcomeStatus, Format: format, Streams: o.input == streamjson.FormatStreamJSON, Message: o.message(w),
		Timeout: o.timeout, Shape: schema, OutputSchema: strings.TrimSpace(o.answer.schema), Retryable: o.Record.ID != "", AnswerFile: answerFile,
	})
	if err == nil && status != exitOK {
		return statusError(status)
	}
	return err
}

func newACP(w world) *cobra.Command {
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Run as an agent for an editor (Agent Client Protocol)",
		Long: `Speaks the Agent Client Protocol, version 1, over standard input and output, for
editors such as Zed, JetBrains IDEs and Emacs. Each session of the editor is a conversation
in the folder that the editor names. Messages for users go to standard error.`,
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runACP(cmd.Context(), w, o) },
	}
	o.registerLimits(cmd, w)
	return cmd
}

func runACP(ctx context.Context, w world, o sessionOptions) error {
	log, err := w.startLog(o.debug)
	if err != nil {
		return err
	}
	if _, err := w.process.Settings(o.sources()); err != nil {
		return err
	}
	w.process.Say = nil // the editor shows lines for the user as notices
	return acp.Serve(ctx, forEditor(w, o), w.stdin, w.stdout, log.Logger)
}

// forEditor returns the Agent that creates conversations for an editor, with the options from the flags.
func forEditor(w world, o sessionOptions) acp.Agent {
	return acp.Agent{Process: w.process, Make: func(ctx context.Context, folder, id string, front app.Options) (*app.Conversation, error) {
		o := o
		o.Workspace, o.Record.Resume = folder, id
		o.Events, o.Connect, o.Gates, o.EditorServers = front.Events, front.Connect, front.Gates, front.EditorServers
		return newConversation(ctx, w, o)
	}, Login: func() ([]string, error) { return loginFor(w, o) }}
}

// loginFor returns the arguments of the command that logs a user in to the provider of the settings.
// missing is the reason why a login is needed, or nil if none is.
func loginFor(w world, o sessionOptions) (args []string, missing error) {
	f, s, err := w.configured(o.settingsOptions)
	if err != nil {
		return []string{"login", "openai"}, err
	}
	name, as, clientID := cmp.Or(settings.Provider.Value(s), "openai"), settings.Login.Value(s), settings.LoginClientID.Value(s)
	args = []string{"login", name}
	if as != "" {
		args = append(args, "--oauth", "--as", as)
	}
	if clientID != "" {
		args = append(args, "--client-id", clientID)
	}
	return args, w.process.Connect(s, f, nil).CheckUsable()
}

func newInit(w world, run func(context.Context, world, sessionOptions) error) *cobra.Command {
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Let the model write AGENTS.md, the project instructions for coding agents",
		Long: `Opens a session with /init. The model reads the project and its existing instructions, and
writes AGENTS.md after your approval. With -p, add --allow 'write_file(AGENTS.md)'.`,
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.headless = cmd.Flags().Changed("prompt")
			if strings.TrimSpace(o.prompt) != "" {
				return usage(errors.New("can't use -p PROMPT with agent init: it has its own prompt. Run: agent init"))
			}
			o.prompt = "/init"
			return run(cmd.Context(), w, o)
		},
	}
	o.register(cmd, w)
	cmd.Flags().Lookup("prompt").NoOptDefVal = " "
	return cmd
}
