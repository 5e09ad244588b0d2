package main

import (
	"context"
	"fmt"

	"agent/internal/llm/demo"
	"agent/internal/provider"
	"agent/internal/settings"
)

// endpointSource makes sure that there is somebody to talk to, and says in a line
// who it is when the user did not choose.
type endpointSource func(ctx context.Context, c *provider.Connection) (notice string, closer func(), err error)

func newConnection(s *settings.Settings, w world) *provider.Connection {
	return provider.New(provider.Config{Settings: s, Env: w.env, Home: w.home})
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
