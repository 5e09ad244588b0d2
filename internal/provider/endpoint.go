package provider

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/secret"
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
	// Upto returns provider and base-url as the layers up to one name them; without it
	// only those in force are known.
	Upto func(layer settings.Source) (provider, baseURL Choice)
	// ReadKeyFile reads a key file; without it there are none.
	ReadKeyFile func(path string) (llm.Key, error)
	// Stored looks up the key that agent login keeps for a place (see Place), and says
	// where; "" when there is none.
	Stored func(place string) (key llm.Key, where string)
	// Allowed reports whether the user once allowed OPENAI_API_KEY to go to a place.
	Allowed func(place string) bool
}

// Endpoint is where to send requests, with which key, and why.
type Endpoint struct {
	// BaseURL is empty when nothing names an endpoint. From is the layer that does.
	BaseURL string
	From    settings.Source
	// Provider is the name of its Vendor, "" when it has none.
	Provider string
	// byURL means that base-url names it, not provider.
	byURL bool
	// Key is empty when none is needed or found; KeyFrom says where it comes from,
	// in words for a person.
	Key     llm.Key
	KeyFrom string
	// Withheld means that OPENAI_API_KEY is set and might be meant for this host, but
	// nobody said so: what can be asked is asked.
	Withheld bool
}

// Vendor is what is known of the endpoint, the zero Vendor when nothing is.
func (e Endpoint) Vendor() vendor.Vendor {
	known, _ := vendor.Named(e.Provider)
	return known
}

// Host is the host of the endpoint, with its port if it has one.
func (e Endpoint) Host() string { return hostOf(e.BaseURL) }

// Place is what the key of the endpoint is kept and allowed for.
func (e Endpoint) Place() string { return Place(e.BaseURL) }

// isOwn reports whether the endpoint may be a server of somebody's own.
func (e Endpoint) isOwn() bool {
	return strings.HasPrefix(e.BaseURL, "http://") || e.BaseURL != "" && vendor.IsLocal(e.Host())
}

// Warning says what is unsafe about the endpoint, "" when nothing is.
func (e Endpoint) Warning() string {
	if e.Key == "" || !isPlain(e.BaseURL) {
		return ""
	}
	return fmt.Sprintf("The key goes to %s over plain http, where others can read it; use https.", e.Host())
}

// Resolve finds endpoint and key. A key belongs to the endpoint that its layer
// names: the auth-keyfile of a layer that names the address in use, or of a stronger
// one; else the variable of the vendor whose host it is; else what agent login stored
// for the place. OPENAI_API_KEY is sent to OPENAI_BASE_URL and to a base URL of the
// command line too, to any other place only if Allowed. A key without an endpoint
// belongs to OpenAI. With neither, the Endpoint is empty. An error is about wrong
// configuration, or a key of https that would go over plain http.
func Resolve(from Sources) (Endpoint, error) {
	e, err := choose(from.Provider, from.BaseURL)
	if err != nil {
		return Endpoint{}, err
	}
	if e.BaseURL == "" {
		openAI := vendor.All()[0]
		e.BaseURL, e.Provider = openAI.BaseURL, openAI.Name
		if err := e.findKey(from); err != nil || e.Key == "" {
			return Endpoint{}, err
		}
		return e, nil
	}
	if err := e.findKey(from); err != nil {
		return e, err
	}
	return e, e.checkPlain(from)
}

// choose picks the address: of provider and base-url the one that the stronger layer
// sets, and base-url within one layer. A provider beside a base URL says what is
// particular to the server there; whose key it gets its host decides.
func choose(provider, baseURL Choice) (Endpoint, error) {
	byName, named := vendor.Named(provider.Text)
	if provider.Text != "" && !named {
		return Endpoint{}, fmt.Errorf("there is no provider %q; there are %s", words.Line(provider.Text, maxShown), strings.Join(Names(), ", "))
	}
	if strings.TrimSpace(baseURL.Text) == "" || named && provider.From > baseURL.From {
		return Endpoint{BaseURL: byName.BaseURL, From: provider.From, Provider: byName.Name}, nil
	}
	base, err := NormalizeBaseURL(baseURL.Text)
	if err != nil {
		return Endpoint{}, fmt.Errorf("base-url: %w", err)
	}
	if !named || provider.From != baseURL.From {
		byName = vendorAt(base)
	}
	return Endpoint{BaseURL: base, From: baseURL.From, Provider: byName.Name, byURL: true}, nil
}

// takes reports whether what a layer says of keys and headers is meant for the
// endpoint: the layer names its address, or nothing stronger than it does. A server
// that was found, and not named, gets nothing.
func (e Endpoint) takes(layer settings.Source, from Sources) bool {
	if e.From == settings.Found {
		return false
	}
	if layer >= e.From {
		return true
	}
	if from.Upto == nil {
		return false
	}
	there, err := choose(from.Upto(layer))
	return err == nil && there.BaseURL == e.BaseURL
}

func (e *Endpoint) findKey(from Sources) error {
	if e.From == settings.Found {
		return nil
	}
	if from.KeyFile.Text != "" && from.ReadKeyFile != nil && e.takes(from.KeyFile.From, from) {
		key, err := from.ReadKeyFile(from.KeyFile.Text)
		if err != nil {
			return fmt.Errorf("auth-keyfile: %w", err)
		}
		e.Key, e.KeyFrom = key, from.KeyFile.Text
		return nil
	}
	owner := vendorAt(e.BaseURL)
	if err := e.fromEnvironment(from, owner.KeyVariable); err != nil || e.Key != "" {
		return err
	}
	if e.byURL && (e.From == settings.Environment || e.From == settings.Flags) {
		if err := e.fromEnvironment(from, vendor.EnvKey); err != nil || e.Key != "" {
			return err
		}
	}
	if from.Stored != nil {
		if e.Key, e.KeyFrom = from.Stored(e.Place()); e.Key != "" {
			return nil
		}
	}
	if from.Allowed != nil && from.Allowed(e.Place()) {
		return e.fromEnvironment(from, vendor.EnvKey)
	}
	return e.withhold(from)
}

// withhold notices a key that is set and might be meant for this host, but belongs to
// another: one of OpenAI may be asked for, one of another vendor is never sent along. A
// server on this machine seldom needs a key, and never somebody else's.
func (e *Endpoint) withhold(from Sources) error {
	owner := vendorAt(e.BaseURL)
	if from.Env == nil || isLoopback(e.Host()) || owner.Name != "" {
		return nil
	}
	if named := e.Vendor(); named.KeyVariable != "" && named.KeyVariable != vendor.EnvKey && from.Env(named.KeyVariable) != "" {
		return fmt.Errorf("%s is for %s and not sent to %s, which the %s names: leave out provider, set auth-keyfile beside base-url, "+
			"or store a key with agent login --base-url %s", named.KeyVariable, hostOf(named.BaseURL), e.Host(), e.From, e.BaseURL)
	}
	e.Withheld = from.Env(vendor.EnvKey) != ""
	return nil
}

// checkPlain refuses to send over plain http what is meant for https: all that a
// vendor gets, and a key that is stored for the same host.
func (e *Endpoint) checkPlain(from Sources) error {
	if !isPlain(e.BaseURL) {
		return nil
	}
	if err := CheckPlain(e.BaseURL); err != nil {
		return err
	}
	if e.Key != "" || from.Stored == nil {
		return nil
	}
	secure := overTLS(e.BaseURL)
	if key, where := from.Stored(Place(secure)); key != "" {
		return fmt.Errorf("the key from %s is for https and not sent to %s over plain http, where others can read it: write %s, "+
			"or store one for this address with agent login --base-url %s", where, e.Host(), secure, e.BaseURL)
	}
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

// CheckPlain refuses the host of a vendor over plain http: its keys are for https.
func CheckPlain(baseURL string) error {
	if !isPlain(baseURL) || !isVendor(baseURL) {
		return nil
	}
	return fmt.Errorf("no key is sent to %s over plain http, where others can read it: write %s", hostOf(baseURL), overTLS(baseURL))
}

// overTLS is a base URL of http with https.
func overTLS(baseURL string) string { return "https" + strings.TrimPrefix(baseURL, "http") }

// Place names what keys are kept and allowed for: the host of a base URL with its
// port. One that is reached over plain http, and not on this machine, is a place of its
// own, so that a key of https stays with https.
func Place(baseURL string) string {
	if isPlain(baseURL) {
		return "http://" + hostOf(baseURL)
	}
	return hostOf(baseURL)
}

// isPlain reports whether what is sent to a base URL can be read on its way.
func isPlain(baseURL string) bool {
	return strings.HasPrefix(strings.ToLower(baseURL), "http://") && !isLoopback(hostOf(baseURL))
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
		return "", fmt.Errorf("%s carries a user name or key; put the key into %s", u.Host, vendor.EnvKey)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q begins with %s://, not http:// or https://", words.Line(text, maxShown), u.Scheme)
	case u.Hostname() == "":
		return "", fmt.Errorf("%q names no host; %s", words.Line(text, maxShown), complete)
	case u.Fragment != "":
		return "", fmt.Errorf("%s%s: leave out what follows #", u.Host, u.Path)
	}
	for name := range u.Query() {
		if secret.Name(name) {
			return "", fmt.Errorf("%s%s: its query holds a key; put the key into %s or the file of auth-keyfile", u.Host, u.Path, vendor.EnvKey)
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

// Names returns the names of all vendors.
func Names() []string {
	var names []string
	for _, v := range vendor.All() {
		names = append(names, v.Name)
	}
	return names
}

// vendorAt returns the vendor whose host a base URL names, the zero Vendor for others. Only
// over https is it that vendor; what listens on a port of this machine is not known.
func vendorAt(baseURL string) vendor.Vendor {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "https" {
		return vendor.Vendor{}
	}
	return ofHost(strings.ToLower(u.Host))
}

// isVendor reports whether a base URL names the host of a vendor, whatever its scheme
// and port.
func isVendor(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return err == nil && ofHost(strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")).Name != ""
}

// ofHost is the vendor at a host, the zero Vendor if there is none.
func ofHost(host string) vendor.Vendor {
	for _, v := range vendor.All() {
		if !v.Local() && hostOf(v.BaseURL) == host {
			return v
		}
	}
	return vendor.Vendor{}
}

// hostOf is the host of a base URL with its port, in lower case.
func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
