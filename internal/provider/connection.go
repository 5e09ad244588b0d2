// Package provider decides which endpoint the program uses, with which API key and model, and
// determines the context window of the model. It reads the settings, the environment and the keyring,
// finds servers on this machine, and requests the models of endpoints.
//
// A Connection follows the settings: after a change of the base URL or the profile, the next request
// goes to the new endpoint. Connection.Provider returns the client for requests, see package llm.
// Resolve decides on endpoint and API key alone, from Sources, so that its rules can be tested without
// a Connection. Keys stores the API keys of agent login.
package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/reachlog"
	"agent/internal/settings"
)

// ConfigError is returned for settings or an environment without a usable endpoint, API key or model.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// ErrNoEndpoint is returned if no endpoint is set or found.
var ErrNoEndpoint = &llm.Error{
	Kind:    llm.Unavailable,
	Message: "no model provider is set",
	Hint:    "set OPENAI_API_KEY, or use --provider or --base-url. To try agent without a key, run: agent demo",
}

// Config configures a Connection.
type Config struct {
	Settings *settings.Settings
	// Env returns an environment variable.
	Env func(name string) string
	// Home is the user's home folder, for ~/ in paths.
	Home string
	// Folder is the folder of the configuration.
	Folder string
	// State is the folder for lessons about endpoints. If "", no lessons are stored.
	State string
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
	// ModelsAge makes the prices in an old model catalog count as unknown.
	ModelsAge bool
	// Stored returns the API key that agent login stores for a place. If nil, SystemKeys is used.
	Stored func(place string) (key llm.Key, where string)
	// Ask asks the user for approval and returns the answer. It is nil if there is no user to ask.
	Ask func(ctx context.Context, question string) (bool, error)
	// Preload makes a server on this machine load the model before the first request.
	Preload bool
	// Detect finds the servers on this machine. If nil, Detect of this package is used.
	Detect func(ctx context.Context) []LocalServer
	// Remembered returns the model that was last chosen at a base URL, or "". news is set if the user
	// was not informed of it yet. Remembered may be nil.
	Remembered func(baseURL string) (model string, news bool)
	// Caution is called before anything is sent. It receives why an endpoint is unsafe and which
	// settings are not sent to it. It may be nil. OnModelsListed replaces it.
	Caution func(text string)
	// Tokens returns the source of the tokens that a command prints. life is the lifetime of a token
	// that does not contain its expiry.
	Tokens func(command, baseURL string, life time.Duration) login.Source
	// Allowed returns an error if requests must not go to an endpoint. If nil, all endpoints are
	// allowed.
	Allowed func(Endpoint) error
	// Logins contains the logins of the user.
	Logins *login.Sources
	// UserAgent is the name of the program that is sent to the endpoint.
	UserAgent string
}

// Connection creates a provider from the settings and lists the models of the endpoint. It follows
// changes of the settings. Its methods are safe for concurrent use.
type Connection struct {
	config  Config
	consent consent
	// dialects contains the dialects that worked at each endpoint.
	dialects *lessons[openai.Dialect]
	// claudes contains the dialects of the Messages API that worked at each endpoint.
	claudes *lessons[anthropic.Dialect]
	// bound contains the models whose reasoning is bound, learned from endpoints.
	bound *lessons[bool]
	// lives contains the observed cache lifetimes of endpoints.
	lives *lessons[time.Duration]

	mu sync.Mutex
	// learned is called, on any goroutine, when an endpoint has listed its models.
	learned func()
	// note is called with notes for the user about the endpoint or its models.
	note func(text string)
	// hide is called with each API key that is used, so that the session log does not contain it.
	hide func(llm.Key)
	// reached is called with each host that receives a request.
	reached func(host string)
	// hidden contains the API keys and tokens that were used, so that messages can hide them.
	hidden map[llm.Key]bool
	// declined is the place to which the user refused to send OPENAI_API_KEY.
	declined string
	// remembered is the model in use if it was chosen earlier, or "".
	remembered string
	// followed caches the text of settingsKey, with the revision of the settings from which it was
	// built.
	followed struct {
		text     string
		revision uint64
	}
	cautioned map[string]bool
	// peer is the endpoint in use, or nil before the first use.
	peer *peer
}

// New returns a connection. It reads nothing and sends nothing before the first use.
func New(config Config) *Connection {
	if config.Stored == nil {
		config.Stored = SystemKeys(config.Folder, config.Env).Get
	}
	if config.Detect == nil {
		config.Detect = func(ctx context.Context) []LocalServer { return Detect(ctx, nil, isOurs) }
	}
	if config.Remembered == nil {
		config.Remembered = func(string) (string, bool) { return "", false }
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
		claudes:  newLessons[anthropic.Dialect](config.State, claudeFile, claudeLife, config.Now),
		bound:    newLessons[bool](config.State, boundFile, boundLife, config.Now),
		lives:    newLessons[time.Duration](config.State, lifeFile, lifeLife, config.Now),
		learned:  func() {}, note: config.Caution, hide: func(llm.Key) {}, reached: func(string) {}, cautioned: map[string]bool{}, hidden: map[llm.Key]bool{},
	}
}

// Endpoint returns endpoint and API key for the present settings. The BaseURL is "" if none is
// configured. The error is a *ConfigError.
func (c *Connection) Endpoint() (Endpoint, error) {
	endpoint, err := Resolve(c.sources())
	if err == nil && c.config.Allowed != nil {
		err = c.config.Allowed(endpoint)
	}
	if err != nil {
		return endpoint, &ConfigError{err}
	}
	return endpoint, nil
}

// CheckUsable returns why no request can be sent with the present settings: there is no endpoint, no
// API key, or no login. It does not ask the user.
func (c *Connection) CheckUsable() error {
	endpoint, err := c.Endpoint()
	switch {
	case err != nil:
		return err
	case endpoint.BaseURL == "":
		return ErrNoEndpoint
	case endpoint.Login != "" && c.titleOf(endpoint.Login) == "":
		return errors.New("no login " + endpoint.Login + " is stored. Run: agent login")
	}
	return (&peer{endpoint: endpoint, extras: c.extras(endpoint)}).keyless()
}

// sources returns the present settings and the places of API keys.
func (c *Connection) sources() EndpointSources {
	choice := func(key string, upto settings.Source) SettingChoice {
		value, from := c.config.Settings.GetUpToLayer(upto, key)
		return SettingChoice{value.String(), from}
	}
	named := func(upto settings.Source) (provider, baseURL SettingChoice) {
		return choice(settings.Provider.Key(), upto), choice(settings.BaseURL.Key(), upto)
	}
	keyFile := choice(settings.AuthKeyfile.Key(), settings.LayerSession)
	if rest, ok := strings.CutPrefix(keyFile.Text, "~/"); ok {
		keyFile.Text = filepath.Join(c.config.Home, rest)
	}
	provider, baseURL := named(settings.LayerSession)
	return EndpointSources{
		Provider:   provider,
		BaseURL:    baseURL,
		KeyFile:    keyFile,
		KeyCommand: choice(settings.AuthCommand.Key(), settings.LayerSession),
		Login:      choice(settings.Login.Key(), settings.LayerSession),
		Model:      settings.Model.Value(c.config.Settings),
		Logins:     c.titleOf,
		CloudSetting: func(name string) string {
			value, _ := c.config.Settings.Get("cloud." + name)
			return value.String()
		},
		Upto:        named,
		Env:         c.config.Env,
		ReadKeyFile: ReadKeyFile,
		Stored:      c.config.Stored,
		Allowed:     c.consent.keyMayGoTo,
	}
}

// settingsKey returns the settings that determine the endpoint, as one text for comparisons. It is
// called many times between two changes of the settings.
func (c *Connection) settingsKey() string {
	s := c.config.Settings
	revision := s.Revision() // before the values, so that no change in between is missed
	c.mu.Lock()
	known := c.followed
	c.mu.Unlock()
	if known.text != "" && known.revision == revision {
		return known.text
	}
	var b strings.Builder
	for _, key := range []string{
		settings.Provider.Key(), settings.BaseURL.Key(), settings.AuthKeyfile.Key(), settings.AuthCommand.Key(), settings.Login.Key(),
		settings.CloudProject.Key(), settings.CloudRegion.Key(), settings.CloudResource.Key(), settings.Model.Key(),
	} {
		value, from := s.Get(key)
		fmt.Fprintf(&b, "%s %d\n", value, from)
	}
	c.mu.Lock()
	c.followed.text, c.followed.revision = b.String(), revision
	c.mu.Unlock()
	return b.String()
}

// extras contains everything that the settings add to the requests to an endpoint.
type extras struct {
	headers map[string]string
	body    settings.JSON
	api     openai.API
	// display is the setting thinking-display.
	display string
	// left lists the settings, each with its layer, that were made for another endpoint and are not
	// sent to this one.
	left []string
}

// extras returns the additions to requests to an endpoint. As with key files, it omits
// settings of layers that were made for another endpoint.
func (c *Connection) extras(endpoint Endpoint) extras {
	sources, s := c.sources(), c.config.Settings
	e := extras{headers: map[string]string{}, api: openai.API(settings.API.Value(s)), display: settings.ThinkingDisplay.Value(s)}
	take := func(key string, from settings.Source) bool {
		if endpoint.accepts(from, sources) {
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
		e.body = settings.ExtraBody.Value(s)
	}
	return e
}

func (e extras) equal(other extras) bool {
	return e.body == other.body && e.api == other.api && e.display == other.display && maps.Equal(e.headers, other.headers)
}

// current returns the endpoint for the present settings. For a new endpoint it requests the models in
// the background, so that the context window is known before the first request.
func (c *Connection) current() (*peer, error) {
	follows := c.settingsKey()
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
	if endpoint.Withheld && endpoint.KeyHost() != declined {
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
		c.peer.close()
	}
	client := openai.Config{
		BaseURL: endpoint.BaseURL, Key: endpoint.Key,
		UserAgent: c.config.UserAgent, Headers: extras.headers, ExtraBody: []byte(extras.body), API: extras.api,
		Lessons: dialectLessons{c.dialects.of(endpoint.Host()), c.bound.of(endpoint.Host())}, KeyHelp: endpoint.Vendor().KeyHelp(),
	}
	var source login.Source // nil if an API key is sent unchanged
	if endpoint.Command != "" {
		source = c.config.Tokens(endpoint.Command, endpoint.BaseURL, settings.AuthCommandLife.Value(c.config.Settings))
		client.KeyHelp = "auth-command"
	}
	if endpoint.Login != "" {
		source = c.config.Logins.Source(endpoint.Login)
		client.KeyHelp = "agent login " + endpoint.Vendor().Name
	}
	client.Sign = func(base http.RoundTripper, used func(llm.Key)) http.RoundTripper {
		base = reachlog.NewTransport(base, c.reach)
		if source == nil {
			return base
		}
		return login.Sign(base, endpoint.BaseURL, source, func(key llm.Key) { used(key); c.hideToken(key) })
	}
	c.peer = &peer{
		endpoint: endpoint, extras: extras, follows: follows, client: openai.NewClient(client), claude: c.newClaude(endpoint, extras, client, source),
		asked: make(chan struct{}),
	}
	for _, key := range c.peer.keys() {
		c.hide(key)
	}
	go c.learn(c.peer)
	return c.peer, nil
}

// caution reports, once for each text, why an endpoint is unsafe and which settings are not sent to it.
func (c *Connection) caution(endpoint Endpoint, extras extras) {
	var texts []string
	if warning := endpoint.Warning(); warning != "" {
		texts = append(texts, warning)
	}
	for _, left := range extras.left {
		texts = append(texts, "Not sent to "+endpoint.KeyHost()+": "+left+". The endpoint is set by another source ("+endpoint.From.String()+").")
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

// inUse does the same as current, but does not read the API key again while the settings do not change.
// The context window is needed at every turn, and a keyring may be slow.
func (c *Connection) inUse() (*peer, error) {
	follows := c.settingsKey()
	c.mu.Lock()
	p := c.peer
	same := p != nil && p.follows == follows
	c.mu.Unlock()
	if same {
		return p, nil
	}
	return c.current()
}

func (c *Connection) isCurrent(p *peer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer == p
}

// OnKey calls hide with the API key in use and with each key that is used later.
func (c *Connection) OnKey(hide func(llm.Key)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hide = hide
	for key := range c.hidden {
		hide(key)
	}
	if c.peer != nil {
		for _, key := range c.peer.keys() {
			hide(key)
		}
	}
}

// OnReached makes the connection call reached with each host that receives a request.
func (c *Connection) OnReached(reached func(host string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reached = reached
}

func (c *Connection) reach(host string) {
	c.mu.Lock()
	reached := c.reached
	c.mu.Unlock()
	reached(host)
}

// hideToken excludes a token that is used from the session log.
func (c *Connection) hideToken(key llm.Key) {
	c.mu.Lock()
	hide, known := c.hide, c.hidden[key]
	c.hidden[key] = true
	c.mu.Unlock()
	if !known {
		hide(key)
	}
}

// OnModelsListed makes the connection call learned, on any goroutine, whenever an endpoint has listed its
// models. It also makes it call note with notes for the user about them.
func (c *Connection) OnModelsListed(learned func(), note func(text string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.learned, c.note = learned, note
}

// Provider returns the client for the present settings. If no model is set, it waits until the
// endpoint has listed its models.
func (c *Connection) Provider() (llm.Provider, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	if err := p.keyless(); err != nil {
		return nil, err
	}
	model := settings.Model.Value(c.config.Settings)
	if model == "" {
		<-p.asked
		c.askAgain(p)
		model = settings.Model.Value(c.config.Settings)
	}
	if model == "" {
		return nil, p.noModel()
	}
	if p.offer(model).Assumed {
		go c.refresh(p)
	}
	return p, nil
}

// Close closes idle connections.
func (c *Connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer != nil {
		c.peer.close()
	}
	return nil
}

// Renew makes the next request of a connection look up the endpoint and its API key again, for example
// after a login.
func Renew(c *Connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer != nil {
		c.peer.close()
		c.peer = nil
	}
}

// withheld returns the error that OPENAI_API_KEY was not sent, with the possible solutions.
func withheld(e Endpoint) error {
	return errors.New(vendor.EnvKey + " was not sent to " + e.KeyHost() + ", because base-url is from the " + e.From.String() + ". To send it there, set OPENAI_BASE_URL to " + e.BaseURL +
		". To use another key, set auth-keyfile where base-url is set, or run: agent login --base-url " + e.BaseURL)
}
