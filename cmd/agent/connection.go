package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/demo"
	"agent/internal/settings"
)

// connection turns the settings into a provider and knows what the endpoint says
// of its models. It follows changes of the settings.
type connection struct {
	settings *settings.Settings
	env      func(string) string
	home     string
	keyring  func(baseURL string) llm.Key
	// learned is called, on any goroutine, when an endpoint has told its models.
	learned func()

	mu sync.Mutex
	// hide keeps a key that comes into use out of the record.
	hide func(llm.Key)
	peer *peer
}

// peer is one endpoint in use.
type peer struct {
	endpoint llm.Endpoint
	// baseURL and keyFile are the settings it follows from.
	baseURL, keyFile string
	client           *llm.Client
	// asked is closed when the endpoint has told its models, or failed to.
	asked chan struct{}
	// models are what it offers and windows the context limits it reported, by
	// model; read after asked.
	models  []string
	windows map[string]int
}

// errNoEndpoint is what a program without anybody to talk to says.
var errNoEndpoint = &llm.Error{
	Kind:    llm.Unavailable,
	Message: "no model endpoint is set and no local server answers",
	Hint:    "set OPENAI_API_KEY, or OPENAI_BASE_URL or --base-url for another server; agent demo needs neither",
}

func newConnection(s *settings.Settings, w world) *connection {
	return &connection{settings: s, env: w.env, home: w.home, keyring: llm.SystemKeyring(w.env), learned: func() {}, hide: func(llm.Key) {}}
}

// resolve works out endpoint and key from the settings as they are now.
func (c *connection) resolve() (llm.Endpoint, error) {
	endpoint, err := llm.ResolveEndpoint(llm.EndpointSources{
		BaseURL:     settings.BaseURL.Of(c.settings),
		KeyFile:     c.keyFile(),
		Env:         c.env,
		ReadKeyFile: llm.ReadKeyFile,
		Keyring:     c.keyring,
	})
	if err != nil {
		return endpoint, usage(err)
	}
	return endpoint, nil
}

// keyFile is the setting auth-keyfile with ~/ spelled out.
func (c *connection) keyFile() string {
	if rest, ok := strings.CutPrefix(settings.AuthKeyfile.Of(c.settings), "~/"); ok {
		return filepath.Join(c.home, rest)
	}
	return settings.AuthKeyfile.Of(c.settings)
}

// current returns the endpoint for the settings as they are now. One that is new
// is asked for its models in the background, so that limits are right before the
// first request.
func (c *connection) current() (*peer, error) {
	baseURL, keyFile := settings.BaseURL.Of(c.settings), c.keyFile()
	endpoint, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if endpoint.BaseURL == "" {
		return nil, errNoEndpoint
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer != nil && c.peer.endpoint == endpoint {
		c.peer.baseURL, c.peer.keyFile = baseURL, keyFile
		return c.peer, nil
	}
	if c.peer != nil {
		c.peer.client.Close()
	}
	c.peer = &peer{
		endpoint: endpoint,
		baseURL:  baseURL,
		keyFile:  keyFile,
		client:   llm.NewClient(llm.ClientConfig{BaseURL: endpoint.BaseURL, Key: endpoint.Key}),
		asked:    make(chan struct{}),
	}
	if endpoint.Key != "" {
		c.hide(endpoint.Key)
	}
	go c.learn(c.peer)
	return c.peer, nil
}

// inUse is current without looking for the key again while the settings are the
// same: the window is asked for at every turn, and a keyring may take its time.
func (c *connection) inUse() (*peer, error) {
	c.mu.Lock()
	p := c.peer
	same := p != nil && p.baseURL == settings.BaseURL.Of(c.settings) && p.keyFile == c.keyFile()
	c.mu.Unlock()
	if same {
		return p, nil
	}
	return c.current()
}

// isCurrent reports whether p is still the endpoint in use.
func (c *connection) isCurrent(p *peer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer == p
}

// keyUsed calls hide with the key in use and with any that comes into use later.
func (c *connection) keyUsed(hide func(llm.Key)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hide = hide
	if c.peer != nil && c.peer.endpoint.Key != "" {
		hide(c.peer.endpoint.Key)
	}
}

// learnTimeout bounds what a request waits for an endpoint to tell its models.
const learnTimeout = 3 * time.Second

// learn asks an endpoint about its models, and takes its only one when none is
// set. A server that cannot tell is no reason to stop: the first request will say
// what is wrong.
func (c *connection) learn(p *peer) {
	ctx, cancel := context.WithTimeout(context.Background(), learnTimeout)
	defer cancel()
	models, err := p.client.ListModels(ctx)
	if err == nil {
		p.windows = make(map[string]int, len(models))
		for _, m := range models {
			p.models = append(p.models, m.ID)
			if m.ContextLimit > 0 {
				p.windows[m.ID] = m.ContextLimit
			}
		}
		if len(models) == 1 && settings.Model.Of(c.settings) == "" && c.isCurrent(p) {
			_ = c.settings.Set(settings.Found, settings.Model.Key(), models[0].ID) // an id no setting takes stays unset
		}
	}
	close(p.asked)
	c.learned()
}

// provider is the client, once it is clear which model to ask for.
func (c *connection) provider() (llm.Provider, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	if settings.Model.Of(c.settings) == "" {
		<-p.asked
	}
	if settings.Model.Of(c.settings) == "" {
		return nil, usage(p.noModel())
	}
	return p.client, nil
}

// noModel says that the user must choose, and from what.
func (p *peer) noModel() error {
	const shown = 8
	const choose = "choose one with -m MODEL or /model MODEL"
	if len(p.models) == 0 {
		return errors.New("no model is set; " + choose)
	}
	offer := strings.Join(p.models[:min(shown, len(p.models))], ", ")
	if more := len(p.models) - shown; more > 0 {
		offer += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("no model is set, and the endpoint offers %s; %s", offer, choose)
}

// models lists what the endpoint offers.
func (c *connection) models(ctx context.Context) ([]llm.ModelInfo, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	return p.client.ListModels(ctx)
}

// contextLimit is the window of a model: what the endpoint reports, else what the
// table says. Only for a model that is not in the table the endpoint is waited for.
func (c *connection) contextLimit(model string) (int, bool) {
	if model == demo.Model {
		return demo.Window, true
	}
	known, inTable := llm.ContextLimit(model)
	p, err := c.inUse()
	if err != nil {
		return known, inTable
	}
	if !inTable {
		<-p.asked
	}
	select {
	case <-p.asked:
		if limit, ok := p.windows[model]; ok {
			return limit, true
		}
	default:
	}
	return known, inTable
}

func (c *connection) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer != nil {
		c.peer.client.Close()
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
		local.Name, local.BaseURL, settings.Model.Of(c.settings), strings.Join(local.Models[:min(3, len(local.Models))], ", ")), nil, nil
}

// endpointDemo starts the demo model.
func endpointDemo(ctx context.Context, c *connection) (string, func(), error) {
	server, err := demo.Start(ctx, demo.Options{})
	if err != nil {
		return "", nil, fmt.Errorf("starting the demo model: %w", err)
	}
	if err := c.use(server.BaseURL, server.Model); err != nil {
		server.Close()
		return "", nil, err
	}
	return "", server.Close, nil
}

// use takes an endpoint and, unless one is set, a model that the user did not
// choose.
func (c *connection) use(baseURL, model string) error {
	if err := c.settings.Set(settings.Found, settings.BaseURL.Key(), baseURL); err != nil {
		return err
	}
	if settings.Model.Of(c.settings) != "" {
		return nil
	}
	return c.settings.Set(settings.Found, settings.Model.Key(), model)
}
