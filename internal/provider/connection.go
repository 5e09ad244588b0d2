// Package provider answers to whom the program talks: which endpoint, with which
// key, about which model, and how large that model's window is. Settings name these
// things, environment and keyring hold keys, servers on this machine are found, and
// endpoints say what they offer.
//
// A Connection follows the settings: code that changes the base URL or the profile
// has the next request go elsewhere. How requests are made is package llm's
// business.
package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
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
	Message: "no model endpoint is set",
	Hint:    "set OPENAI_API_KEY, or name one with --provider or --base-url; agent demo needs neither",
}

// Config is what a Connection depends on.
type Config struct {
	Settings *settings.Settings
	// Env looks a variable of the environment up.
	Env func(name string) string
	// Home is the user's folder, for ~/ in paths, Folder that of the configuration.
	Home, Folder string
	// State is the folder in which is kept what endpoints teach; "" keeps nothing.
	State string
	// Now reads the clock; nil means the real one.
	Now func() time.Time
	// Stored looks up the key that agent login keeps for a place; nil means Keys.
	Stored func(place string) (key llm.Key, where string)
	// Ask puts a question to the user and reports whether they agree; nil means that
	// nobody can be asked.
	Ask func(ctx context.Context, question string) (bool, error)
	// Preload has a server on this machine load the model before the first request.
	Preload bool
	// Detect finds a server on this machine; nil means the function of that name.
	Detect func(ctx context.Context) (Local, bool)
	// Caution reports what is unsafe of an endpoint, and what is not sent to it, before
	// anything is sent; nil reports nothing. OnLearned replaces it.
	Caution func(text string)
	// UserAgent names the program to the endpoint.
	UserAgent string
}

// Connection turns the settings into a provider and knows what the endpoint says
// of its models. It follows changes of the settings. Its methods are safe for
// concurrent use.
type Connection struct {
	config  Config
	consent consent
	// dialects are how endpoints want to be asked, lives how long their caches live.
	dialects *lessons[openai.Dialect]
	lives    *lessons[time.Duration]

	mu sync.Mutex
	// learned is called, on any goroutine, when an endpoint has listed its models, and
	// note with what the user should know of them or of the endpoint.
	learned func()
	note    func(text string)
	// hide keeps a key that comes into use out of the record.
	hide func(llm.Key)
	// declined is a place to which OPENAI_API_KEY shall not go.
	declined string
	// cautioned are the cautions that were reported.
	cautioned map[string]bool
	peer      *peer
}

// New returns a connection. Nothing is looked up before it is needed.
func New(config Config) *Connection {
	if config.Stored == nil {
		config.Stored = SystemKeys(config.Folder, config.Env).Get
	}
	if config.Detect == nil {
		config.Detect = func(ctx context.Context) (Local, bool) { return Detect(ctx, nil, isOurs) }
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Caution == nil {
		config.Caution = func(string) {}
	}
	return &Connection{
		config: config, consent: consent{filepath.Join(config.Folder, "allowed.json")},
		dialects: newLessons[openai.Dialect](config.State, dialectFile, dialectLife, config.Now),
		lives:    newLessons[time.Duration](config.State, lifeFile, lifeLife, config.Now),
		learned:  func() {}, note: config.Caution, hide: func(llm.Key) {}, cautioned: map[string]bool{},
	}
}

// Endpoint works out endpoint and key from the settings as they are now. Its
// BaseURL is empty when nothing names one. The error is a *ConfigError.
func (c *Connection) Endpoint() (Endpoint, error) {
	endpoint, err := Resolve(c.sources())
	if err != nil {
		return endpoint, &ConfigError{err}
	}
	return endpoint, nil
}

// sources are the settings as they are now, and where keys are.
func (c *Connection) sources() Sources {
	choice := func(key string, upto settings.Source) Choice {
		value, from := c.config.Settings.Upto(upto, key)
		return Choice{value.String(), from}
	}
	named := func(upto settings.Source) (provider, baseURL Choice) {
		return choice(settings.Provider.Key(), upto), choice(settings.BaseURL.Key(), upto)
	}
	keyFile := choice(settings.AuthKeyfile.Key(), settings.Session)
	if rest, ok := strings.CutPrefix(keyFile.Text, "~/"); ok {
		keyFile.Text = filepath.Join(c.config.Home, rest)
	}
	provider, baseURL := named(settings.Session)
	return Sources{
		Provider:    provider,
		BaseURL:     baseURL,
		KeyFile:     keyFile,
		Upto:        named,
		Env:         c.config.Env,
		ReadKeyFile: ReadKeyFile,
		Stored:      c.config.Stored,
		Allowed:     c.consent.keyMayGoTo,
	}
}

// follows are the settings that an endpoint in use follows from, as one text.
func (c *Connection) follows() string {
	s := c.config.Settings
	var b strings.Builder
	for _, key := range []string{settings.Provider.Key(), settings.BaseURL.Key(), settings.AuthKeyfile.Key()} {
		value, from := s.Get(key)
		fmt.Fprintf(&b, "%s %d\n", value, from)
	}
	return b.String()
}

// extras are what the settings add to every request to an endpoint.
type extras struct {
	headers map[string]string
	body    settings.JSON
	api     openai.API
	// left are the settings that were made for another endpoint and not sent to this
	// one, each with its layer.
	left []string
}

// extras returns what is sent along to an endpoint: as of key files, what a layer says
// that it takes.
func (c *Connection) extras(endpoint Endpoint) extras {
	sources, s := c.sources(), c.config.Settings
	e := extras{headers: map[string]string{}, api: openai.API(settings.API.Of(s))}
	take := func(key string, from settings.Source) bool {
		if endpoint.takes(from, sources) {
			return true
		}
		e.left = append(e.left, fmt.Sprintf("%s of the %s", key, from))
		return false
	}
	for _, header := range settings.HeadersOf(s) {
		if take(header.Key, header.From) {
			e.headers[header.Name] = header.Value
		}
	}
	key := settings.ExtraBody.Key()
	if value, from := s.Get(key); value.IsSet() && take(key, from) {
		e.body = settings.ExtraBody.Of(s)
	}
	return e
}

func (e extras) equal(other extras) bool {
	return e.body == other.body && e.api == other.api && maps.Equal(e.headers, other.headers)
}

// current returns the endpoint for the settings as they are now. One that is new
// is asked for its models in the background, so that limits are right before the
// first request.
func (c *Connection) current() (*peer, error) {
	follows := c.follows()
	endpoint, err := c.Endpoint()
	if err != nil {
		return nil, err
	}
	if endpoint.BaseURL == "" {
		return nil, ErrNoEndpoint
	}
	extras := c.extras(endpoint)
	c.mu.Lock()
	declined := c.declined
	c.mu.Unlock()
	if endpoint.Withheld && endpoint.Place() != declined {
		return nil, &ConfigError{withheld(endpoint)}
	}
	c.caution(endpoint, extras)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer != nil && c.peer.endpoint == endpoint && c.peer.extras.equal(extras) {
		c.peer.follows = follows
		return c.peer, nil
	}
	if c.peer != nil {
		c.peer.client.Close()
	}
	c.peer = &peer{
		endpoint: endpoint, extras: extras, follows: follows,
		client: openai.NewClient(openai.Config{
			BaseURL: endpoint.BaseURL, Key: endpoint.Key,
			UserAgent: c.config.UserAgent, Headers: extras.headers, ExtraBody: []byte(extras.body), API: extras.api,
			Lessons: c.dialects.of(endpoint.Host()), KeyHelp: endpoint.Vendor().KeyHelp(),
		}),
		asked: make(chan struct{}),
	}
	if endpoint.Key != "" {
		c.hide(endpoint.Key)
	}
	go c.learn(c.peer)
	return c.peer, nil
}

// caution reports what is unsafe of an endpoint and what is not sent to it, once.
func (c *Connection) caution(endpoint Endpoint, extras extras) {
	var texts []string
	if warning := endpoint.Warning(); warning != "" {
		texts = append(texts, warning)
	}
	for _, left := range extras.left {
		texts = append(texts, left+" is not sent to "+endpoint.Place()+", which the "+endpoint.From.String()+" names.")
	}
	for _, text := range texts {
		c.mu.Lock()
		known, note := c.cautioned[text], c.note
		c.cautioned[text] = true
		c.mu.Unlock()
		if !known {
			note(text)
		}
	}
}

// inUse is current without looking for the key again while the settings are the
// same: the window is asked for at every turn, and a keyring may take its time.
func (c *Connection) inUse() (*peer, error) {
	follows := c.follows()
	c.mu.Lock()
	p := c.peer
	same := p != nil && p.follows == follows
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

// OnLearned calls learned, on any goroutine, whenever an endpoint has listed its
// models, and note with what the user should know of them.
func (c *Connection) OnLearned(learned func(), note func(text string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.learned, c.note = learned, note
}

// Provider is the client, once it is clear which model to ask for.
func (c *Connection) Provider() (llm.Provider, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	if err := p.keyless(); err != nil {
		return nil, err
	}
	model := settings.Model.Of(c.config.Settings)
	if model == "" {
		<-p.asked
		model = settings.Model.Of(c.config.Settings)
	}
	if model == "" {
		return nil, &ConfigError{p.noModel()}
	}
	if p.offer(model).Assumed {
		go c.refresh(p)
	}
	return p.client, nil
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

// withheld says why OPENAI_API_KEY is not sent, and what to do.
func withheld(e Endpoint) error {
	return errors.New(vendor.EnvKey + " is not sent to " + e.Place() + ", which the " + e.From.String() + " names: set auth-keyfile beside base-url, " +
		"or store a key with agent login --base-url " + e.BaseURL + ", or give the address with --base-url or OPENAI_BASE_URL")
}
