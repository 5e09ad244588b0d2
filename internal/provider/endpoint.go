package provider

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/settings"
)

// maxShown limits the part of an invalid value in an error, in characters.
const maxShown = 200

// maxAddress limits an address, in bytes, because questions to the user contain it.
const maxAddress = 1000

// SettingChoice is a setting for an endpoint or an API key, and the layer that sets it.
type SettingChoice struct {
	Text string
	From settings.Source
}

// EndpointSources contains the sources of endpoint and API key. Every field may be empty.
type EndpointSources struct {
	// Provider, BaseURL, KeyFile and KeyCommand are the settings provider, base-url,
	// auth-keyfile and auth-command.
	Provider, BaseURL, KeyFile, KeyCommand SettingChoice
	// Model is the setting model. Without an endpoint, the vendor is found by the model.
	Model string
	// Login is the setting login. Logins returns the stored login with an id, formatted for a user, or
	// "".
	Login  SettingChoice
	Logins func(id string) (title string)
	// CloudSetting returns the setting cloud.NAME, or "" if it is not set.
	CloudSetting func(name string) string
	// Env returns an environment variable.
	Env func(name string) string
	// Upto returns provider and base-url as set by a layer or weaker layers.
	Upto func(layer settings.Source) (provider, baseURL SettingChoice)
	// ReadKeyFile reads a key file.
	ReadKeyFile func(path string) (llm.Key, error)
	// Stored returns the API key that agent login stores for a place (see KeyHost), and where it is
	// stored. It returns "" if there is none.
	Stored func(place string) (key llm.Key, where string)
	// Allowed reports whether the user approved sending OPENAI_API_KEY to a place.
	Allowed func(place string) bool
}

// Endpoint is the address and the API key for requests, and their origin.
type Endpoint struct {
	// BaseURL is "" if no endpoint is configured.
	BaseURL string
	// ClaudeURL is the address of the Messages API for Claude models, or "" if it is BaseURL.
	ClaudeURL string
	// From is the layer that sets the endpoint.
	From settings.Source
	// Provider is the name of the endpoint's Vendor, or "" if it has none.
	Provider string
	// byURL means that base-url determines the endpoint, not provider.
	byURL bool
	// Key is the API key. It is "" if none is needed or found.
	Key llm.Key
	// KeyFrom is the origin of the API key, for a user.
	KeyFrom string
	// Command is the command that prints the API key, or "".
	Command string
	// Login is the id of the login whose tokens sign requests, or "".
	Login string
	// Withheld means that OPENAI_API_KEY is set, but the user has not approved it for this host. An
	// interactive session asks the user.
	Withheld bool
}

// Vendor returns the vendor of the endpoint, or the zero Vendor if it is unknown.
func (e Endpoint) Vendor() vendor.Vendor {
	known, _ := vendor.Named(e.Provider)
	return known
}

// Host returns the host of the endpoint, with its port if it has one.
func (e Endpoint) Host() string { return hostOf(e.BaseURL) }

// KeyHost returns the place for which the API key of the endpoint is stored and allowed.
func (e Endpoint) KeyHost() string { return KeyHost(e.BaseURL) }

// isOwn reports whether the endpoint may be a server that users run themselves.
func (e Endpoint) isOwn() bool {
	return strings.HasPrefix(e.BaseURL, "http://") || e.BaseURL != "" && vendor.IsLocal(e.Host())
}

// Owner returns the vendor whose API keys are for the endpoint: the vendor at its host, or the vendor
// of the user's account in a cloud.
func (e Endpoint) Owner() vendor.Vendor {
	if known := e.Vendor(); known.Cloud != nil && !e.byURL {
		return known
	}
	return vendorAt(e.BaseURL)
}

// HasCredential reports whether requests contain an API key or a token.
func (e Endpoint) HasCredential() bool { return e.Key != "" || e.Command != "" || e.Login != "" }

// CredentialText returns what signs requests, for a user, or "" if they are not signed.
func (e Endpoint) CredentialText() string {
	switch {
	case e.Login != "":
		return "login " + e.KeyFrom
	case e.Command != "":
		return "key of auth-command"
	case e.Key != "":
		return "key of " + e.KeyFrom
	}
	return ""
}

// Warning returns a warning if the endpoint is unsafe, or otherwise "".
func (e Endpoint) Warning() string {
	if e.Key == "" || !isPlain(e.BaseURL) {
		return ""
	}
	return fmt.Sprintf("The API key is sent to %s unencrypted (http). Use https.", e.Host())
}

// Resolve returns endpoint and API key. It uses the first of these keys:
//
// - the key that auth-command prints, or the key in auth-keyfile, if it is set for the address in use
// - the login to an account of the vendor, if the setting login selects it or the vendor accepts no
// keys
// - the key in the environment variable of the vendor at the host
// - OPENAI_API_KEY, if OPENAI_BASE_URL or the command line sets the address
// - the key that agent login has stored for the place
// - the login to an account of the vendor
// - OPENAI_API_KEY, if the user has approved it for the place
//
// A key without an endpoint belongs to OpenAI. Without either, the Endpoint is empty. The error is
// about invalid settings, or about a key for https that would be sent over plain http.
func Resolve(from EndpointSources) (Endpoint, error) {
	e, err := from.choose(from.Provider, from.BaseURL)
	if err != nil {
		return Endpoint{}, err
	}
	if e.BaseURL == "" {
		if e, err := from.maker(); err != nil || e.HasCredential() {
			return e, err
		}
		openAI := vendor.All()[0]
		e.BaseURL, e.Provider = openAI.BaseURL, openAI.Name
		if err := e.findKey(from); err != nil || !e.HasCredential() {
			return Endpoint{}, err
		}
		return e, nil
	}
	if err := e.findKey(from); err != nil {
		return e, err
	}
	return e, e.checkPlain(from)
}

// maker returns the endpoint of the vendor that makes the model, if there is an API key for it.
// Otherwise it returns an Endpoint without a key.
func (from EndpointSources) maker() (Endpoint, error) {
	maker := vendor.MakerOf(from.Model)
	if maker.Name == "" {
		return Endpoint{}, nil
	}
	e := Endpoint{BaseURL: maker.BaseURL, Provider: maker.Name}
	err := e.findKey(from)
	return e, err
}

// choose returns the endpoint set by provider or base-url. The stronger layer decides. If both are of
// one layer, base-url decides. If both are set, provider is the kind of server at the base URL, and the
// host determines the API key.
func (from EndpointSources) choose(provider, baseURL SettingChoice) (Endpoint, error) {
	byName, named := vendor.Named(provider.Text)
	if provider.Text != "" && !named {
		return Endpoint{}, fmt.Errorf("unknown provider %q; providers: %s", humanize.Line(provider.Text, maxShown), strings.Join(vendor.Names(), ", "))
	}
	if strings.TrimSpace(baseURL.Text) == "" || named && provider.From > baseURL.From {
		address, err := from.addressOf(byName)
		if err != nil {
			return Endpoint{From: provider.From, Provider: byName.Name}, err
		}
		claude, err := from.claudeAddressOf(byName)
		return Endpoint{BaseURL: address, ClaudeURL: claude, From: provider.From, Provider: byName.Name}, err
	}
	base, err := NormalizeBaseURL(baseURL.Text)
	if err != nil {
		return Endpoint{}, fmt.Errorf("base-url: %w", err)
	}
	if named && byName.Account && provider.From == baseURL.From && base != byName.BaseURL {
		return Endpoint{}, fmt.Errorf("the login to %s is not sent to %s. Remove base-url or provider", byName.Title, hostOf(base))
	}
	if !named || provider.From != baseURL.From {
		byName = vendorAt(base)
	}
	return Endpoint{BaseURL: base, From: baseURL.From, Provider: byName.Name, byURL: true}, nil
}

// accepts reports whether API keys and headers that a layer sets are meant for the endpoint. That is so
// if the layer sets its address, or if no stronger layer does. A detected server receives none.
func (e Endpoint) accepts(layer settings.Source, from EndpointSources) bool {
	if e.From == settings.LayerDetected {
		return false
	}
	if layer >= e.From {
		return true
	}
	if from.Upto == nil {
		return false
	}
	there, err := from.choose(from.Upto(layer))
	return err == nil && there.BaseURL == e.BaseURL
}

// findKey sets the API key of the endpoint and its origin, as described for Resolve.
func (e *Endpoint) findKey(from EndpointSources) error {
	if e.From == settings.LayerDetected && (e.byURL || e.Vendor().Local()) {
		return nil // keys are not sent to a server that was detected
	}
	if done, err := e.fromCommand(from); done || err != nil {
		return err
	}
	if from.KeyFile.Text != "" && from.ReadKeyFile != nil && e.accepts(from.KeyFile.From, from) {
		key, err := from.ReadKeyFile(from.KeyFile.Text)
		if err != nil {
			return fmt.Errorf("auth-keyfile: %w", err)
		}
		e.Key, e.KeyFrom = key, from.KeyFile.Text
		return nil
	}
	owner := e.Owner()
	if owner.Account || from.Login.Text != "" && e.accepts(from.Login.From, from) {
		return e.fromLogin(from, owner, true)
	}
	if err := e.fromEnvironment(from, owner.KeyVariable); err != nil || e.Key != "" {
		return err
	}
	if e.byURL && (e.From == settings.LayerEnvironment || e.From == settings.LayerFlags) {
		if err := e.fromEnvironment(from, vendor.EnvKey); err != nil || e.Key != "" {
			return err
		}
	}
	if from.Stored != nil {
		if e.Key, e.KeyFrom = from.Stored(e.KeyHost()); e.Key != "" {
			return nil
		}
	}
	if err := e.fromLogin(from, owner, false); err != nil || e.Login != "" {
		return err
	}
	if owner.Cloud != nil {
		e.Command, e.KeyFrom = owner.Cloud.Command, owner.Cloud.Command
		return nil
	}
	if from.Allowed != nil && from.Allowed(e.KeyHost()) {
		return e.fromEnvironment(from, vendor.EnvKey)
	}
	return e.withhold(from)
}

// fromLogin uses the login to an account of the owner of the endpoint, only at the owner's address.
// wanted means that nothing else may be used. The first request then fails if the login is not stored.
func (e *Endpoint) fromLogin(from EndpointSources, owner vendor.Vendor, wanted bool) error {
	account, known := login.AccountByName(owner.Name)
	known = known && account.Name == owner.Name && account.Why == "" && !account.CreatesAPIKey()
	if !wanted && (!known || from.Logins == nil) {
		return nil
	}
	switch {
	case !known:
		return fmt.Errorf("login is set, but no login to %[1]s is stored. Remove the setting, or run: agent login", e.Host())
	case e.BaseURL != owner.BaseURL:
		return fmt.Errorf("the login to %s is sent only to %[3]s, not to %[2]s. Remove base-url", account.Title, e.BaseURL, owner.BaseURL)
	}
	if err := login.CheckLoginName(from.Login.Text); err != nil {
		return fmt.Errorf("login: %w", err)
	}
	id, title := login.ID(account.Name, from.Login.Text), ""
	if from.Logins != nil {
		title = from.Logins(id)
	}
	if wanted || title != "" {
		e.Login, e.KeyFrom = id, cmp.Or(title, id)
	}
	return nil
}

// withhold checks whether an API key is set that may be meant for this host, but belongs to another
// host. It marks a key of OpenAI as withheld, so that the user may be asked. It refuses a key of
// another vendor. A server on this machine seldom needs a key, and never a vendor's.
func (e *Endpoint) withhold(from EndpointSources) error {
	owner := vendorAt(e.BaseURL)
	if from.Env == nil || isLoopback(e.Host()) || owner.Name != "" {
		return nil
	}
	if named := e.Vendor(); named.KeyVariable != "" && named.KeyVariable != vendor.EnvKey && from.Env(named.KeyVariable) != "" {
		return fmt.Errorf("%s is for %s and was not sent to %s (base-url of the %s). To use another key, set auth-keyfile where base-url is set, "+
			"or run: agent login --base-url %s", named.KeyVariable, hostOf(named.BaseURL), e.Host(), e.From, e.BaseURL)
	}
	e.Withheld = from.Env(vendor.EnvKey) != ""
	return nil
}

// checkPlain returns an error for plain http at the host of a vendor, and at a host whose API key is
// stored for https.
func (e *Endpoint) checkPlain(from EndpointSources) error {
	if !isPlain(e.BaseURL) {
		return nil
	}
	if err := CheckPlainHTTP(e.BaseURL); err != nil {
		return err
	}
	if e.Command != "" {
		return fmt.Errorf("the token of auth-command is not sent to %s unencrypted. Use %s", e.Host(), overTLS(e.BaseURL))
	}
	if e.Key != "" || from.Stored == nil {
		return nil
	}
	secure := overTLS(e.BaseURL)
	if key, where := from.Stored(KeyHost(secure)); key != "" {
		return fmt.Errorf("the API key from %s is not sent to %s unencrypted. Use %s, "+
			"or store a key for this address: agent login --base-url %s", where, e.Host(), secure, e.BaseURL)
	}
	return nil
}

// fromEnvironment uses the API key in an environment variable, if there is one.
func (e *Endpoint) fromEnvironment(from EndpointSources, variable string) error {
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

// CheckPlainHTTP returns an error for plain http at the host of a vendor, because vendors' API keys are for
// https.
func CheckPlainHTTP(baseURL string) error {
	if !isPlain(baseURL) || !isVendor(baseURL) {
		return nil
	}
	return fmt.Errorf("the API key is not sent to %s unencrypted. Use %s", hostOf(baseURL), overTLS(baseURL))
}

// overTLS changes the scheme of a base URL from http to https.
func overTLS(baseURL string) string { return "https" + strings.TrimPrefix(baseURL, "http") }

// KeyHost returns the place for which API keys are stored and allowed: the host of a base URL with its
// port. A remote host over plain http is a separate place, so that a key for https is sent only over
// https.
func KeyHost(baseURL string) string {
	if isPlain(baseURL) {
		return "http://" + hostOf(baseURL)
	}
	return hostOf(baseURL)
}

// isPlain reports whether others can read a request to a base URL.
func isPlain(baseURL string) bool {
	return strings.HasPrefix(strings.ToLower(baseURL), "http://") && !isLoopback(hostOf(baseURL))
}

// isLoopback reports whether a host, with or without a port, is this machine. A name below localhost may be
// resolved by another machine, and proxies do not except it.
func isLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// NormalizeBaseURL returns an address in the form from which requests are built: without a final slash
// and without /chat/completions or /messages. A query is kept. It returns an error for schemes other
// than http and https, and for addresses that contain secrets.
func NormalizeBaseURL(raw string) (string, error) {
	const complete = "for example http://localhost:8080/v1"
	text := strings.TrimSpace(raw)
	u, err := url.Parse(text)
	switch {
	case !strings.Contains(text, "://"):
		return "", fmt.Errorf("%q must start with http:// or https://; %s", humanize.Line(text, maxShown), complete)
	case err != nil:
		return "", fmt.Errorf("invalid URL; %s", complete)
	case u.User != nil:
		return "", fmt.Errorf("the address of %s must not contain a user name or key. Put the key into %s", u.Host, vendor.EnvKey)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q must start with http:// or https://, not %s://", humanize.Line(text, maxShown), u.Scheme)
	case len(text) > maxAddress:
		return "", fmt.Errorf("the address is longer than %d bytes", maxAddress)
	case u.Hostname() == "":
		return "", fmt.Errorf("%q has no host; %s", humanize.Line(text, maxShown), complete)
	case u.Fragment != "":
		return "", fmt.Errorf("%s%s must not contain a fragment (#…)", u.Host, u.Path)
	}
	for name := range u.Query() {
		if secret.IsSecretName(name) {
			return "", fmt.Errorf("%s%s must not contain a key. Put it into %s or the file of auth-keyfile", u.Host, u.Path, vendor.EnvKey)
		}
	}
	path := strings.TrimRight(u.Path, "/")
	for _, complete := range []string{"/chat/completions", "/messages"} {
		path = strings.TrimRight(strings.TrimSuffix(path, complete), "/")
	}
	base := u.Scheme + "://" + strings.ToLower(u.Host) + path
	if u.RawQuery != "" {
		base += "?" + u.RawQuery
	}
	return base, nil
}

// vendorAt returns the vendor at the host of a base URL, or the zero Vendor. Only https proves the
// vendor.
func vendorAt(baseURL string) vendor.Vendor {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "https" {
		return vendor.Vendor{}
	}
	return ofHost(strings.ToLower(u.Host))
}

// isVendor reports whether a base URL has the host of a vendor, with any scheme and port.
func isVendor(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return err == nil && ofHost(strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")).Name != ""
}

// ofHost returns the vendor at a host, or the zero Vendor if there is none.
func ofHost(host string) vendor.Vendor {
	for _, v := range vendor.All() {
		if !v.Local() && v.Cloud == nil && hostOf(v.BaseURL) == host {
			return v
		}
	}
	return vendor.Vendor{}
}

// hostOf returns the host of a base URL with its port, in lower case.
func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
