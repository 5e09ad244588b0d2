package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/headless"
)

// maxPipedInput bounds what standard input may add to a prompt.
const maxPipedInput = 4 << 20

// runHeadless runs one prompt to its end. It never waits for a terminal.
func runHeadless(ctx context.Context, w world, o options, endpoint endpointSource) error {
	format, err := headless.ParseFormat(o.output)
	if err != nil {
		return usage(err)
	}
	prompt, err := headlessPrompt(ctx, w, o.prompt)
	if err != nil {
		return err
	}
	printer := headless.NewPrinter(format, w.stdout, w.stderr)
	run := headless.Run{}
	started := w.now()
	a, err := newApp(ctx, w, o, appMode{emit: printer.Event, unattended: true, endpoint: endpoint})
	if err == nil {
		defer a.close()
		for _, notice := range a.notices {
			fmt.Fprintln(w.stderr, notice)
		}
		run.SessionID = a.sessionID()
		printer.Start(run.SessionID)
		run.Outcome, run.Err = a.answer(ctx, prompt)
		run.Exit = outcomeStatus(run.Outcome, run.Err)
		run.Stats, run.Status = a.chat.Figures()
	} else {
		run.Err, run.Exit = err, exitStatus(err)
	}
	run.Duration = w.now().Sub(started)
	if err := printer.Finish(run); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	if run.Err != nil {
		return run.Err
	}
	if run.Exit != exitOK {
		return statusError(run.Exit)
	}
	return nil
}

// answer runs a prompt, or a slash command, to its end.
func (a *app) answer(ctx context.Context, prompt string) (chat.Outcome, error) {
	if !command.IsCommand(prompt) {
		return a.chat.Prompt(ctx, prompt)
	}
	out, err := a.runCommand(ctx, prompt)
	if err != nil {
		return chat.Outcome{Stop: chat.StopFailed}, usage(err)
	}
	if out.Submit != "" {
		return a.chat.Prompt(ctx, out.Submit)
	}
	return chat.Outcome{Stop: chat.StopDone, Response: strings.Join(out.Plain(), "\n")}, nil
}

// runCommand runs a slash command while the loop serves what it asks.
func (a *app) runCommand(ctx context.Context, line string) (command.Output, error) {
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		a.chat.Run(ctx)
	}()
	defer func() { cancel(); <-served }()
	return a.commands(ctx).Run(ctx, line)
}

// headlessPrompt is the prompt of the command line with what is piped in appended.
func headlessPrompt(ctx context.Context, w world, prompt string) (string, error) {
	piped, err := pipedInput(ctx, w)
	if err != nil {
		return "", err
	}
	prompt = strings.TrimSpace(prompt)
	if piped != "" {
		prompt = strings.TrimSpace(prompt + "\n\n" + piped)
	}
	if prompt == "" {
		return "", usage(errors.New("-p needs a prompt, as its value or on standard input"))
	}
	return prompt, nil
}

// slowInput is after how long a wait for piped input is told.
const slowInput = 2 * time.Second

// pipedInput reads standard input to its end when it is a pipe or a file. A
// terminal and the like are not read, so that a run never waits for a person; a
// pipe that stays open is waited for, visibly, until ctx ends.
func pipedInput(ctx context.Context, w world) (string, error) {
	info, err := w.stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return "", nil
	}
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(w.stdin, maxPipedInput+1))
		read <- input{data, err}
	}()
	slow := time.AfterFunc(slowInput, func() { fmt.Fprintln(w.stderr, "waiting for the end of standard input …") })
	defer slow.Stop()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case in := <-read:
		if in.err != nil {
			return "", fmt.Errorf("reading standard input: %w", in.err)
		}
		if len(in.data) > maxPipedInput {
			return "", usage(errors.New("standard input is longer than 4 MiB; put it into a file and name it with @PATH"))
		}
		return strings.ToValidUTF8(string(in.data), "\uFFFD"), nil
	}
}
