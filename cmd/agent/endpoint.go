package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/app"
	"agent/internal/llm/demo"
	"agent/internal/provider"

	"golang.org/x/term"
)

// askOnTerminal asks before the screen is there. Only yes is yes.
func askOnTerminal(w world) app.Asker {
	if !term.IsTerminal(int(w.stdin.Fd())) {
		return nil
	}
	return func(ctx context.Context, question string) (bool, error) {
		fmt.Fprint(w.people, question+" [y/N] ")
		type line struct {
			text string
			err  error
		}
		typed := make(chan line, 1)
		go func() {
			text, err := readLine(w.stdin)
			typed <- line{text, err}
		}()
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case l := <-typed:
			answer := strings.ToLower(strings.TrimSpace(l.text))
			return answer == "y" || answer == "yes", l.err
		}
	}
}

// readLine reads up to a line break and no further: what follows is for the screen.
func readLine(in io.Reader) (string, error) {
	var text []byte
	for one := make([]byte, 1); ; {
		n, err := in.Read(one)
		if n == 0 && errors.Is(err, io.EOF) || n == 1 && one[0] == '\n' {
			return string(text), nil
		}
		if err != nil {
			return string(text), err
		}
		text = append(text, one[:n]...)
	}
}

// endpointDemo starts the demo model.
func endpointDemo(ctx context.Context, c *provider.Connection) (string, func(), error) {
	server, err := demo.Start(ctx, demo.Options{})
	if err != nil {
		return "", nil, fmt.Errorf("starting the demo model: %w", err)
	}
	if err := c.Use(server.BaseURL, server.Model); err != nil {
		server.Close()
		return "", nil, err
	}
	return "", server.Close, nil
}
