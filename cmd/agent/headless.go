package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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
	prompt, err := headlessPrompt(w, o.prompt)
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
		printer.Start(run.SessionID)
		a.connection.learn(ctx)
		run.Outcome, run.Err = a.chat.Prompt(ctx, prompt)
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

// headlessPrompt is the prompt of the command line with what is piped in appended.
func headlessPrompt(w world, prompt string) (string, error) {
	piped, err := pipedInput(w.stdin)
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

// pipedInput reads standard input when it is a pipe or a file. A terminal, or an
// open pipe that nobody writes to (a service's stdin), must not hold the run up;
// the first is told from the file, the second cannot be, so only what is a pipe,
// a file or a socket is read to its end.
func pipedInput(stdin *os.File) (string, error) {
	info, err := stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return "", nil
	}
	data, err := io.ReadAll(io.LimitReader(stdin, maxPipedInput+1))
	if err != nil {
		return "", fmt.Errorf("reading standard input: %w", err)
	}
	if len(data) > maxPipedInput {
		return "", usage(errors.New("standard input is longer than 4 MiB; put it into a file and name it with @PATH"))
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}
