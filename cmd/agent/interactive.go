package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/term"

	"agent/internal/app"
	"agent/internal/chat"
	"agent/internal/console"
	"agent/internal/front/screen"
	"agent/internal/provider"
	"agent/internal/tui"
)

// runInteractive runs a session in the terminal. Without an endpoint it is the
// demo, which says so.
func runInteractive(ctx context.Context, w world, o sessionOptions) error {
	err := converseInTerminal(ctx, w, o, app.Find)
	if errors.Is(err, provider.ErrNoEndpoint) {
		return runDemo(ctx, w, o, "No model endpoint is set, so this is the demo. Set OPENAI_API_KEY, or OPENAI_BASE_URL for another server, to use a model.")
	}
	return err
}

// converseInTerminal runs sessions, one after another, until the user quits.
func converseInTerminal(ctx context.Context, w world, o sessionOptions, endpoint app.Connector) error {
	for {
		next, err := screen.Run(ctx, screen.Options{
			Process: w.Process,
			Open: func(ctx context.Context, events func(chat.Envelope)) (*app.Conversation, error) {
				return newConversation(ctx, w, o, app.Options{Events: events, Connect: endpoint, Browse: openInBrowser, Ask: askOnTerminal(w), AsksTrust: true})
			},
			In: w.stdin, Out: w.stdout, Text: w.out, Hear: w.hear,
			Plain: o.screenReader, Scratch: o.records != "", Initial: o.message(),
		})
		if errors.Is(err, tui.ErrTerminated) {
			return statusError(exitInterrupted)
		}
		if err != nil || next == "" {
			return err
		}
		o.resume, o.continues, o.fork, o.prompt, o.images = next, false, false, "", nil
	}
}

// askOnTerminal asks before the screen is there. Only yes is yes.
func askOnTerminal(w world) app.Asker {
	if !term.IsTerminal(int(w.stdin.Fd())) {
		return nil
	}
	return func(ctx context.Context, question string) (bool, error) {
		fmt.Fprint(w.people, question+" [y/N] ")
		answer, err := readLine(ctx, w.stdin)
		return slices.Contains([]string{"y", "yes"}, strings.ToLower(answer)), err
	}
}

// readLine reads up to a line break and no further: what follows is for the screen. It
// returns the text without blanks around it.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	return console.Await(ctx, func() (string, error) {
		var text []byte
		for one := make([]byte, 1); ; {
			n, err := in.Read(one)
			if n == 0 && errors.Is(err, io.EOF) || n == 1 && one[0] == '\n' {
				err = nil
			} else if err == nil {
				text = append(text, one[:n]...)
				continue
			}
			return strings.TrimSpace(string(text)), err
		}
	})
}
