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
	"agent/internal/command"
)

// shellCommands returns the commands of the command line that also work within a session.
func shellCommands(w world) []command.Command {
	return []command.Command{
		inSession(w, "doctor", "check the configuration, the endpoint and the terminal"),
		inSession(w, "import", "import servers and hooks from other agents"),
		inSession(w, "savings", "compare the cost of past sessions"),
		inSession(w, "logout", "forget a key or a login"),
	}
}

// inSession returns a slash command that runs the command of the command line with the same name
// and shows its output. Nobody can be asked meanwhile.
func inSession(w world, name, help string) command.Command {
	run := command.Say(func(ctx context.Context, words []string) ([]string, error) {
		nothing, err := os.Open(os.DevNull)
		if err != nil {
			return nil, err
		}
		defer nothing.Close()
		var said bytes.Buffer
		w := w
		w.out, w.people = &said, &said
		if name != "doctor" { // doctor looks at the terminal and reads nothing
			w.stdin, w.stdout, w.stderr = nothing, nothing, nothing
		}
		root := newRoot(w, converse)
		root.SetArgs(append([]string{name}, words...))
		err = root.ExecuteContext(ctx)
		if is[statusError](err) {
			err = nil // the output gives the reason
		}
		text := strings.TrimRight(said.String(), "\n")
		if text == "" {
			return nil, err
		}
		return strings.Split(text, "\n"), err
	})
	return command.Command{Name: name, Help: help, Forms: []command.Form{
		{Run: run},
		{Args: "WORDS…", Rest: true, Does: "with the arguments of agent " + name, Run: run},
	}}
}

// A visit is a command of the command line that runs between two screens, because it needs the
// terminal for itself.
type visit struct{ args []string }

// run runs the command in a process of its own, which can't continue reading the terminal after its
// end. Ctrl+C ends the command and not this program.
func (v *visit) run(ctx context.Context, w world) {
	const late = time.Second // a signal may be delivered after the command has ended by it
	release := w.hear()
	defer func() { time.AfterFunc(late, release) }()
	defer w.process.AccountLogins().Forget()
	program, err := os.Executable()
	if err == nil {
		cmd := exec.CommandContext(ctx, program, v.args...)
		cmd.Args[0] = "agent"
		cmd.Dir, cmd.Env = w.process.Dir, w.process.Environ
		cmd.Stdin, cmd.Stdout, cmd.Stderr = w.stdin, w.stdout, w.stderr
		err = cmd.Run()
	}
	if err != nil && !is[*exec.ExitError](err) { // it has told its own errors
		_ = w.tell("agent: " + err.Error())
	}
}

// loginBetween returns the command /login. It leaves the screen, lets the person log in,
// and continues the same session.
func loginBetween(c *app.Conversation, resume func(id string), next **visit) command.Command {
	run := func(ctx context.Context, words []string) (command.Output, error) {
		if err := c.Chat.Idle(ctx); err != nil {
			return command.Output{}, err
		}
		switch id := c.SessionID(); {
		case c.History().Len() == 0:
		case id == "":
			return command.Output{}, errors.New("can't log in here: this session is not recorded and would be lost. In another terminal, run: agent login")
		default:
			resume(id)
		}
		*next = &visit{append([]string{"login"}, words...)}
		return command.Output{Quit: true}, nil
	}
	return command.Command{Name: "login", Help: "store a provider's API key, or log in to an account", Forms: []command.Form{
		{Does: "list logins and stored keys", Run: run},
		{Args: "WORDS…", Rest: true, Does: "with the arguments of agent login", Run: run},
	}}
}
