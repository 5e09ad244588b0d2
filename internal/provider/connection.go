package provider

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"agent/internal/llm"
	"agent/internal/settings"
)

// ConfigError says that settings or environment name no usable endpoint, key or
// model.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// ErrNoEndpoint is what a program without anybody to talk to says.
var ErrNoEndpoint = &llm.Error{
	Kind:    llm.Unavailable,
	Message: "no model endpoint is set and no local server answers",
	Hint:    "set OPENAI_API_KEY, or OPENAI_BASE_URL or --base-url for another server; agent demo needs neither",
}

// Config is what a Connection depends on.
type Config struct {
	Settings *settings.Settings
	// Env looks a variable of the environment up.
	Env func(name string) string
	// Home is the user's folder, for ~/ in paths.
	Home string
	// Keyring looks up the key of a base URL; nil means the keyring of the system.
	Keyring func(baseURL string) llm.Key
}

// Connection turns the settings into a provider and knows what the endpoint says
// of its models. It follows changes of the settings. Its methods are safe for
// concurrent use.
type Connection struct {
	config Config

	mu sync.Mutex
	// learned is called, on any goroutine, when an endpoint has told its models.
	learned func()
	// hide keeps a key that comes into use out of the record.
	hide func(llm.Key)
	peer *peer
}

// New returns a connection. Nothing is looked up before it is needed.
func New(config Config) *Connection {
	if config.Keyring == nil {
		config.Keyring = SystemKeyring(config.Env)
	}
	return &Connection{config: config, learned: func() {}, hide: func(llm.Key) {}}
}

// Endpoint works out endpoint and key from the settings as they are now. Its
// BaseURL is empty when nothing names one. The error is a *ConfigError.
func (c *Connection) Endpoint() (Endpoint, error) {
	endpoint, err := Resolve(Sources{
		BaseURL:     settings.BaseURL.Of(c.config.Settings),
		KeyFile:     c.keyFile(),
		Env:         c.config.Env,
		ReadKeyFile: ReadKeyFile,
		Keyring:     c.config.Keyring,
	})
	if err != nil {
		return endpoint, &ConfigError{err}
	}
	return endpoint, nil
}

// keyFile is the setting auth-keyfile with ~/ spelled out.
func (c *Connection) keyFile() string {
	path := settings.AuthKeyfile.Of(c.config.Settings)
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(c.config.Home, rest)
	}
	return path
}

// current returns the endpoint for the settings as they are now. One that is new
// is asked for its models in the background, so that limits are right before the
// first request.
func (c *Connection) current() (*peer, error) {
	baseURL, keyFile := settings.BaseURL.Of(c.config.Settings), c.keyFile()
	endpoint, err := c.Endpoint()
	if err != nil {
		return nil, err
	}
	if endpoint.BaseURL == "" {
		return nil, ErrNoEndpoint
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
func (c *Connection) inUse() (*peer, error) {
	c.mu.Lock()
	p := c.peer
	same := p != nil && p.baseURL == settings.BaseURL.Of(c.config.Settings) && p.keyFile == c.keyFile()
	c.mu.Unlock()
	if same {
		return p, nil
	}
	return c.current()
}

// isCurrent reports whether p is still the endpoint in use.
func (c *Connection) isCurrent(p *peer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer == p
}

// OnKey calls hide with the key in use and with any that comes into use later.
func (c *Connection) OnKey(hide func(llm.Key)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hide = hide
	if c.peer != nil && c.peer.endpoint.Key != "" {
		hide(c.peer.endpoint.Key)
	}
}

// OnLearned calls learned, on any goroutine, whenever an endpoint has told its
// models.
func (c *Connection) OnLearned(learned func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.learned = learned
}

// Provider is the client, once it is clear which model to ask for.
func (c *Connection) Provider() (llm.Provider, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	if settings.Model.Of(c.config.Settings) == "" {
		<-p.asked
	}
	if settings.Model.Of(c.config.Settings) == "" {
		return nil, &ConfigError{p.noModel()}
	}
	return p.client, nil
}

// Models lists what the endpoint offers.
func (c *Connection) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	return listModels(ctx, p.client)
}

// ContextLimit is the window of a model: what the endpoint reports, else what the
// table says. Only for a model that is not in the table the endpoint is waited for.
func (c *Connection) ContextLimit(model string) (int, bool) {
	known, inTable := ContextLimit(model)
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

// Close lets go of idle connections.
func (c *Connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer != nil {
		c.peer.client.Close()
	}
	return nil
}
