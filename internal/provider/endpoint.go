package provider

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/words"
)

// maxShown is how much of a wrong value an error repeats, in characters.
const maxShown = 200

// Choice is a setting that names an endpoint or a key, and the layer that sets it.
type Choice struct {
	Text string
	From settings.Source
}

// Sources is where endpoint and key may come from. Every field may be left empty.
type Sources struct {
	// Provider, BaseURL and KeyFile are the settings provider, base-url and
	// auth-keyfile.
	Provider, BaseURL, KeyFile Choice
	// Env looks a variable of the environment up.
	Env func(name string) string
	// ReadKeyFile reads a key file; without it there are none.
	ReadKeyFile func(path string) (llm.Key, error)
	// Stored looks up the key that agent login keeps for a host, and says where; ""
	// when there is none.
	Stored func(host string) (key llm.Key, where string)
	// Allowed reports whether the user once allowed OPENAI_API_KEY to go to a host.
	Allowed func(host string) bool
}

// Endpoint is where to send requests, with which key, and why.
type Endpoint struct {
	// BaseURL is empty when nothing names an endpoint. From is the layer that does.
	BaseURL string
	From    settings.Source
	// Provider is the name of its Preset, "" when it has none.
	Provider string
	// byURL means that base-url names it, not provider.
	byURL bool
	// Key is empty when none is needed or found; KeyFrom says where it comes from,
	// in words for a person.
	Key     llm.Key
	KeyFrom string
	// Withheld means that OPENAI_API_KEY is set and might be meant for this host, but
	// nobody said so: whoever can be asked is asked.
	Withheld bool
}

// Preset is what is known of the endpoint, the zero Preset when nothing is.
func (e Endpoint) Preset() Preset {
	preset, _ := Named(e.Provider)
	return preset
}

// Host is the host of the endpoint, with its port if it has one.
func (e Endpoint) Host() string { return hostOf(e.BaseURL) }

// Warning says what is unsafe about the endpoint, "" when nothing is.
func (e Endpoint) Warning() string {
	if e.Key == "" || !strings.HasPrefix(e.BaseURL, "http://") || isLoopback(e.Host()) {
		return ""
	}
	return fmt.Sprintf("The key goes to %s over plain http, where others can read it; use https.", e.Host())
}

// Resolve finds endpoint and key. A key belongs to the endpoint that its layer
// names: the auth-keyfile of the layer that sets provider or base-url, or of a
// stronger one; else the provider's own variable; else what agent login stored for
// the host. OPENAI_API_KEY goes to OpenAI, to OPENAI_BASE_URL and to a base URL of
// the command line, to any other host only if Allowed. A key without an endpoint
// belongs to OpenAI. With neither, the Endpoint is empty. An error is about wrong
// configuration.
func Resolve(from Sources) (Endpoint, error) {
	e, err := choose(from)
	if err != nil {
		return Endpoint{}, err
	}
	if e.BaseURL != "" {
		return e, e.findKey(from)
	}
	e.BaseURL, e.Provider = presets[0].BaseURL, presets[0].Name
	if err := e.findKey(from); err != nil || e.Key == "" {
		return Endpoint{}, err
	}
	return e, nil
}

// choose picks the address: of provider and base-url the one that the stronger layer
// sets, and base-url within one layer. A provider is what the base URL of its own
// layer belongs to.
func choose(from Sources) (Endpoint, error) {
	byName, named := Named(from.Provider.Text)
	if from.Provider.Text != "" && !named {
		return Endpoint{}, fmt.Errorf("there is no provider %q; there are %s", words.Line(from.Provider.Text, maxShown), strings.Join(Names(), ", "))
	}
	if strings.TrimSpace(from.BaseURL.Text) == "" || named && from.Provider.From > from.BaseURL.From {
		return Endpoint{BaseURL: byName.BaseURL, From: from.Provider.From, Provider: byName.Name}, nil
	}
	base, err := NormalizeBaseURL(from.BaseURL.Text)
	if err != nil {
		return Endpoint{}, fmt.Errorf("base-url: %w", err)
	}
	if !named || from.Provider.From != from.BaseURL.From {
		byName, _ = presetAt(base)
	}
	return Endpoint{BaseURL: base, From: from.BaseURL.From, Provider: byName.Name, byURL: true}, nil
}

func (e *Endpoint) findKey(from Sources) error {
	// A server that was found, and not named, gets no key.
	if e.From == settings.Found {
		return nil
	}
	if from.KeyFile.Text != "" && from.KeyFile.From >= e.From && from.ReadKeyFile != nil {
		key, err := from.ReadKeyFile(from.KeyFile.Text)
		if err != nil {
			return fmt.Errorf("auth-keyfile: %w", err)
		}
		e.Key, e.KeyFrom = key, from.KeyFile.Text
		return nil
	}
	if err := e.fromEnvironment(from, e.Preset().KeyVariable); err != nil || e.Key != "" {
		return err
	}
	if e.byURL && (e.From == settings.Environment || e.From == settings.Flags) {
		if err := e.fromEnvironment(from, llm.EnvKey); err != nil || e.Key != "" {
			return err
		}
	}
	if from.Stored != nil {
		if e.Key, e.KeyFrom = from.Stored(e.Host()); e.Key != "" {
			return nil
		}
	}
	if from.Allowed != nil && from.Allowed(e.Host()) {
		return e.fromEnvironment(from, llm.EnvKey)
	}
	// A server on this machine seldom needs a key, and never somebody else's.
	e.Withheld = from.Env != nil && from.Env(llm.EnvKey) != "" && e.Provider == "" && !isLoopback(e.Host())
	return nil
}

// fromEnvironment takes the key of a variable, if it holds one.
func (e *Endpoint) fromEnvironment(from Sources, variable string) error {
	if variable == "" || from.Env == nil {
		return nil
	}
	key := strings.TrimSpace(from.Env(variable))
	if key == "" {
		return nil
	}
	if err := checkKey(key); err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	e.Key, e.KeyFrom = llm.Key(key), variable
	return nil
}

// isLoopback reports whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	ip := net.ParseIP(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || ip != nil && ip.IsLoopback()
}

// NormalizeBaseURL brings an address into the form requests are built from:
// without a slash at its end and without /chat/completions; a query stays. It
// refuses what is not an http or https address, and secrets in it.
func NormalizeBaseURL(raw string) (string, error) {
	const complete = "write it in full, such as http://localhost:8080/v1"
	text := strings.TrimSpace(raw)
	u, err := url.Parse(text)
	switch {
	case !strings.Contains(text, "://"):
		return "", fmt.Errorf("%q has no http:// or https:// in front; %s", words.Line(text, maxShown), complete)
	case err != nil:
		return "", fmt.Errorf("not a URL; %s", complete)
	case u.User != nil:
		return "", fmt.Errorf("%s carries a user name or key; put the key into %s", u.Host, llm.EnvKey)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q begins with %s://, not http:// or https://", words.Line(text, maxShown), u.Scheme)
	case u.Hostname() == "":
		return "", fmt.Errorf("%q names no host; %s", words.Line(text, maxShown), complete)
	case u.Fragment != "":
		return "", fmt.Errorf("%s%s: leave out what follows #", u.Host, u.Path)
	}
	for name := range u.Query() {
		if isKeyParameter(name) {
			return "", fmt.Errorf("%s%s: its query holds a key; put the key into %s or the file of auth-keyfile", u.Host, u.Path, llm.EnvKey)
		}
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/chat/completions"), "/")
	base := u.Scheme + "://" + u.Host + path
	if u.RawQuery != "" {
		base += "?" + u.RawQuery
	}
	return base, nil
}

// isKeyParameter recognises the names under which keys stand in addresses: what is in
// an address is shown and recorded.
func isKeyParameter(name string) bool {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
	for _, word := range []string{"key", "token", "secret", "password", "sig", "signature"} {
		if strings.HasSuffix(name, word) {
			return true
		}
	}
	return false
}
