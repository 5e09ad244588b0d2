package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/demo"
	"agent/internal/settings"
)

// connection turns the settings into a provider and remembers what the endpoint
// said of its models. It follows changes of the settings.
type connection struct {
	settings *settings.Settings
	env      func(string) string
	keyring  func(baseURL string) llm.Key

	mu       sync.Mutex
	endpoint llm.Endpoint
	client   *llm.Client
	// windows are the context limits the endpoint reported, by model.
	windows map[string]int
}

// errNoEndpoint is what a program without anybody to talk to says.
var errNoEndpoint = &llm.Error{
	Kind:    llm.Unavailable,
	Message: "no model endpoint is set and no local server answers",
	Hint:    "set OPENAI_API_KEY, or OPENAI_BASE_URL or --base-url for another server; agent demo needs neither",
}

func newConnection(s *settings.Settings, w world) *connection {
	return &connection{settings: s, env: w.env, keyring: llm.SystemKeyring(w.env)}
}

// resolve works out endpoint and key from the settings as they are now.
func (c *connection) resolve() (llm.Endpoint, error) {
	endpoint, err := llm.ResolveEndpoint(llm.EndpointSources{
		BaseURL:     c.settings.BaseURL(),
		KeyFile:     c.settings.AuthKeyfile(),
		Env:         c.env,
		ReadKeyFile: llm.ReadKeyFile,
		Keyring:     c.keyring,
	})
	if err != nil {
		return endpoint, usage(err)
	}
	return endpoint, nil
}

// current returns the client for the settings as they are now.
func (c *connection) current() (*llm.Client, error) {
	endpoint, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if endpoint.BaseURL == "" {
		return nil, errNoEndpoint
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil || endpoint.BaseURL != c.endpoint.BaseURL || endpoint.Key != c.endpoint.Key {
		if c.client != nil {
			c.client.Close()
		}
		c.endpoint, c.windows = endpoint, nil
		c.client = llm.NewClient(llm.ClientConfig{BaseURL: endpoint.BaseURL, Key: endpoint.Key})
	}
	return c.client, nil
}

// provider is the client, once it is clear which model to ask for.
func (c *connection) provider() (llm.Provider, error) {
	client, err := c.current()
	if err != nil {
		return nil, err
	}
	if c.settings.Model() == "" {
		return nil, usage(errors.New("no model is set; choose one with -m MODEL or /model MODEL"))
	}
	return client, nil
}

// models lists what the endpoint offers and remembers the windows it reports.
func (c *connection) models(ctx context.Context) ([]llm.ModelInfo, error) {
	client, err := c.current()
	if err != nil {
		return nil, err
	}
	models, err := client.ListModels(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.windows = make(map[string]int, len(models))
	for _, m := range models {
		if m.ContextLimit > 0 {
			c.windows[m.ID] = m.ContextLimit
		}
	}
	return models, nil
}

// contextLimit is the window of a model: what the endpoint reports, else the table.
func (c *connection) contextLimit(model string) (int, bool) {
	if model == demo.Model {
		return demo.Window, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit, ok := c.windows[model]; ok {
		return limit, true
	}
	return llm.ContextLimit(model)
}

// learnTimeout bounds what a start waits for an endpoint to list its models.
const learnTimeout = 3 * time.Second

// learn asks the endpoint about its models, so that limits are right before the
// first request, and takes its only model when none is set. A server that cannot
// tell is no reason to stop: the first request will say what is wrong.
func (c *connection) learn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, learnTimeout)
	defer cancel()
	models, err := c.models(ctx)
	if err != nil || len(models) != 1 || c.settings.Model() != "" {
		return
	}
	if err := c.settings.Set(settings.Environment, settings.KeyModel, models[0].ID); err != nil {
		return
	}
}

func (c *connection) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		c.client.Close()
	}
	return nil
}

// endpointSource makes sure that there is somebody to talk to, and says in a line
// who it is when the user did not choose.
type endpointSource func(ctx context.Context, c *connection) (notice string, closer func(), err error)

// endpointFromUser uses what is set, else a server on this machine.
func endpointFromUser(ctx context.Context, c *connection) (string, func(), error) {
	endpoint, err := c.resolve()
	if err != nil || endpoint.BaseURL != "" {
		return "", nil, err
	}
	local, found := llm.DetectLocal(ctx, nil)
	if !found {
		return "", nil, errNoEndpoint
	}
	if err := c.use(local.BaseURL, local.Models[0]); err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("Using %s at %s with %s, since no endpoint is set; /model lists its models (%s).",
		local.Name, local.BaseURL, c.settings.Model(), strings.Join(local.Models[:min(3, len(local.Models))], ", ")), nil, nil
}

// endpointDemo starts the demo model.
func endpointDemo(ctx context.Context, c *connection) (string, func(), error) {
	server, err := demo.Start(ctx, demo.Options{})
	if err != nil {
		return "", nil, fmt.Errorf("starting the demo model: %w", err)
	}
	if err := c.settings.Set(settings.Flags, settings.KeyBaseURL, server.BaseURL); err != nil {
		server.Close()
		return "", nil, err
	}
	return "", server.Close, c.settings.Set(settings.Flags, settings.KeyModel, server.Model)
}

// use sets endpoint and, unless one is set, model for lack of a choice by the user.
func (c *connection) use(baseURL, model string) error {
	if err := c.settings.Set(settings.Environment, settings.KeyBaseURL, baseURL); err != nil {
		return err
	}
	if c.settings.Model() != "" {
		return nil
	}
	return c.settings.Set(settings.Environment, settings.KeyModel, model)
}
