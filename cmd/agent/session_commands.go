package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"agent/internal/app"
	"agent/internal/cmdline"
	"agent/internal/command"
	"agent/internal/llm"
	"agent/internal/provider"
)

// shellCommands returns the commands of the command line that also work as slash commands.
func (w world) shellCommands(c *app.Conversation) []command.Command {
	w.session = c
	return []command.Command{
		w.inSession("doctor", "check the session: its configuration, endpoint and terminal"),
		w.inSession("import", "import servers and hooks from other coding agents"),
		w.inSession("savings", "compare the cost of past sessions"),
		w.inSession("logout", "delete a stored key or login"),
	}
}

// inSession returns a slash command that runs the command of the command line with the same name and shows
// its output. The command cannot ask the user while it runs.
func (w world) inSession(name, help string) command.Command {
	run := command.ShowLines(func(ctx context.Context, words []string) ([]string, error) {
		return w.runInside(ctx, name, words)
	})
	return wordsCommand(name, help, run)
}

// wordsCommand returns a slash command that splits its arguments like the command line.
func wordsCommand(name, help string, run command.RunFunc) command.Command {
	return command.Command{Name: name, Help: help, Forms: []command.Form{
		{Run: run},
		{Args: "WORDS…", Rest: true, Does: "with the arguments of agent " + name, Run: run},
	}}
}

// runInside runs a command of the command line within a session and returns its output.
func (w world) runInside(ctx context.Context, name string, words []string) ([]string, error) {
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer nothing.Close()
	var said bytes.Buffer
	w.out, w.people = &said, &said
	if name != "doctor" { // doctor inspects the terminal and reads no input
		w.stdin, w.stdout, w.stderr = nothing, nothing, nothing
	}
	root := newRoot(w, converse)
	root.SetArgs(append([]string{name}, words...))
	err = root.ExecuteContext(ctx)
	if is[statusError](err) {
		err = nil // the output already contains the error
	}
	text := strings.TrimRight(said.String(), "\n")
	if text == "" {
		return nil, err
	}
	return strings.Split(text, "\n"), err
}

// errNeedsTerminal is returned by a command within a session that has to read the terminal.
var errNeedsTerminal = errors.New("the login needs a terminal")

// keyWanted is an error that agent login returns within a session. The session then asks the user for the
// API key.
type keyWanted struct {
	keys  provider.Keys
	place string
}

func (k *keyWanted) Error() string { return "no key for " + k.place }

// loginInside returns the command /login. The session shows the output and asks for API keys. A login that
// reads the terminal runs outside the screen. The settings of the session do not change.
func (w world) loginInside(c *app.Conversation) command.Command {
	w.session = c
	return wordsCommand("login", "store a provider's API key, or log in to an account", func(ctx context.Context, words []string) (command.Output, error) {
		lines, err := w.runInside(ctx, "login", words)
		out := command.Output{Lines: lines}
		if wanted, is := errors.AsType[*keyWanted](err); is {
			out.Ask = wanted.question(c.Connection)
			return out, nil
		}
		if errors.Is(err, errNeedsTerminal) {
			words = append([]string{"login"}, words...)
			return command.Output{Outside: &command.TerminalProgram{
				Line: "agent " + commandLine(words),
				Run: func() error {
					defer provider.Renew(c.Connection)
					return w.visit(ctx, words)
				},
			}}, nil
		}
		return out, err
	})
}

// boardInside returns the command /board, which shows the board until the user leaves it.
func (w world) boardInside() command.Command {
	run := func(ctx context.Context, _ []string) (command.Output, error) {
		show := func() error { return w.visit(ctx, []string{"board"}) }
		return command.Output{Outside: &command.TerminalProgram{Line: "agent board", Run: show}}, nil
	}
	return command.Command{Name: "board", Group: "Sessions", Help: "show all running sessions and answer their questions", Forms: []command.Form{{Run: run}}}
}

func commandLine(words []string) string {
	var line []string
	for _, word := range words {
		line = append(line, cmdline.Quote(word))
	}
	return strings.Join(line, " ")
}

// question returns the question for the API key. The key is stored once the user has entered it.
func (k *keyWanted) question(connection *provider.Connection) *command.Question {
	return &command.Question{
		Title: "API key for " + k.place, YesEffect: "store the key", NoLine: "No key was stored.",
		Secret: func(_ context.Context, key string) (command.Output, error) {
			where, err := k.keys.Set(k.place, llm.Key(key))
			if err != nil {
				return command.Output{}, err
			}
			provider.Renew(connection)
			return command.Output{Lines: []string{"The key for " + k.place + " is stored in " + where + "."}}, nil
		},
	}
}

// visit runs a command of the command line in a separate process, so that no read of the terminal remains
// afterwards. Ctrl+C ends the command and not this program.
func (w world) visit(ctx context.Context, args []string) error {
	const late = time.Second // a signal may arrive this long after the command that it ended
	release := w.hear()
	defer func() { time.AfterFunc(late, release) }()
	defer w.process.AccountLogins().InvalidateCache()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Args[0] = "agent"
	cmd.Dir, cmd.Env = w.process.Dir, w.process.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.stdin, w.stdout, w.stderr
	if err = cmd.Run(); is[*exec.ExitError](err) {
		return nil // the command printed its own errors
	}
	return err
}
