package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/chat"
	"agent/internal/llm"
	"agent/internal/llm/demo"
	"agent/internal/provider"
	"agent/internal/settings"

	"golang.org/x/term"
)

// endpointSource makes sure that there is somebody to talk to, and says in a line
// who it is when the user did not choose.
type endpointSource func(ctx context.Context, c *provider.Connection) (notice string, closer func(), err error)

// newConnection returns a connection that asks the user where it may.
func newConnection(s *settings.Settings, w world, f folders, ask asker) *provider.Connection {
	return provider.New(provider.Config{
		Settings: s, Env: w.env, Home: w.home, Folder: f.config, State: f.state,
		Now: w.now, Ask: ask, Preload: ask != nil, UserAgent: "agent/" + version,
		Caution: func(text string) { fmt.Fprintln(w.people, text) },
	})
}

// otherModel connects to the model of a profile, as it is now.
func (a *app) otherModel(profile string) (*chat.OtherModel, error) {
	loaded, err := a.profiles.Load(profile)
	if err != nil {
		return nil, err
	}
	with := a.settings.With(loaded)
	connection := newConnection(with, a.world, a.folders, nil)
	connection.OnLearned(func() {}, a.chat.Note)
	if a.session != nil {
		connection.OnKey(func(key llm.Key) { a.session.Hide(string(key)) })
	}
	client, err := connection.Provider()
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", profile, err)
	}
	model := settings.Model.Of(with)
	known, _ := connection.ContextLimit(model)
	return &chat.OtherModel{
		Provider: client, Settings: with, Window: known, Prices: connection.Prices(model),
		Close: func() { _ = connection.Close() }, // only lets go of idle connections
	}, nil
}

// asker puts a question to the user; nil where nobody can be asked.
type asker func(ctx context.Context, question string) (bool, error)

// askOnTerminal asks before the screen is there. Only yes is yes.
func askOnTerminal(w world) asker {
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

// endpointFromUser uses what is set, else a server on this machine.
func endpointFromUser(ctx context.Context, c *provider.Connection) (string, func(), error) {
	notice, err := c.Find(ctx)
	return notice, nil, err
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
