package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"agent/internal/app"
	"agent/internal/attach"
	"agent/internal/chat"
	"agent/internal/frontend/background"
	"agent/internal/frontend/script"
	"agent/internal/sandbox"
)

// inBackground is the name of the hidden flag for the process that runs a session in the background.
const inBackground = "in-background"

// startBackground starts this program again without a terminal, and waits until other terminals can
// reach its session.
func startBackground(ctx context.Context, w world) error {
	if !attach.Supported {
		return usage(errors.New("can't run in the background: this system can't verify who connects to a socket"))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, append([]string{"--" + inBackground}, os.Args[1:]...)...)
	cmd.Args[0] = "agent"
	cmd.Dir, cmd.Env, cmd.Stdin = w.process.Dir, w.process.Environ, w.stdin
	sandbox.SetNewGroup(cmd)
	said, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	problems, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	var copying sync.WaitGroup
	copying.Go(func() { _, _ = io.Copy(w.people, problems) })
	name, err := bufio.NewReader(said).ReadString('\n')
	if err != nil { // err already contains the reason
		copying.Wait()
		var ended *exec.ExitError
		if errors.As(cmd.Wait(), &ended) && ended.ExitCode() > 0 {
			return statusError(ended.ExitCode())
		}
		return errors.New("can't run in the background: the session ended during its start")
	}
	return w.print("agent attach " + strings.TrimSpace(name))
}

// runBackground runs a session for other terminals, and prints its name to standard output.
func runBackground(ctx context.Context, w world, o sessionOptions) error {
	message, err := script.Options{In: w.stdin, People: w.people, Message: o.message(w)}.Prompt(ctx)
	if err != nil {
		return err
	}
	return background.Run(ctx, background.Options{
		Open: func(ctx context.Context, events func(chat.Event)) (*app.Conversation, error) {
			o.Events, o.Connect, o.KeepsAgents = events, app.FindEndpoint, true
			return newConversation(ctx, w, o)
		},
		Now: w.process.Now, Message: message,
		Ready: func(c *app.Conversation) { fmt.Fprintln(w.stdout, c.ResumeName()) },
	})
}
