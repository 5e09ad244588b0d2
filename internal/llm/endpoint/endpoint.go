// Package endpoint communicates with the server of a model over HTTP, for all wire formats. It sends
// requests with the API key and the headers of the user, and reads the events of replies. It explains
// failures of connections, proxies and servers to a user.
//
//	exchange, err := at.Post(ctx, "/messages", model, body, nil)
//	if err != nil {
//		return err
//	}
//	defer exchange.Close()
//	for event, err := range exchange.Events() {
//		…
//	}
package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/llm"
	"agent/internal/llm/refusal"
	"agent/internal/llm/vendor"
	"agent/internal/reachlog"
)

// Config configures an Endpoint. Only BaseURL is required.
type Config struct {
	// BaseURL is the address of the endpoint without a final slash. It may have a query, which is added
	// to every request.
	BaseURL string
	// Paths lists the paths that are added to BaseURL. A hint about a redirect omits them.
	Paths []string
	// Key is the API key. It is sent unless it is empty: as the bearer token, or in the header KeyHeader.
	Key       llm.Key
	KeyHeader string
	// KeyHelp describes the origin of the API key in hints. If empty, vendor.EnvKey is used.
	KeyHelp string
	// Sign, which may be nil, wraps the transport to add an API key that changes. used must be called
	// with each key before the key is sent.
	Sign func(base http.RoundTripper, used func(llm.Key)) http.RoundTripper
	// UserAgent is sent with every request unless it is empty.
	UserAgent string
	// Headers are sent with every request. They never replace a header that the client sets.
	Headers map[string]string
	// ExtraBody is a JSON object whose members are added to the body of every request for a reply. They
	// replace members of the same name. It may be empty.
	ExtraBody json.RawMessage
	// Transport sends the requests. If nil, a transport is used that uses the proxies of the
	// environment and keeps connections.
	Transport http.RoundTripper
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// Endpoint is the server of a model. It is safe for concurrent use and keeps its connections between
// requests.
type Endpoint struct {
	config Config
	http   *http.Client
	// keys contains the API keys that errors must not show.
	keys *llm.Keys
}

// New returns an endpoint. It sends nothing.
func New(config Config) *Endpoint {
	if config.Transport == nil {
		config.Transport = newTransport()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	keys := &llm.Keys{}
	keys.Add(config.Key)
	for name, value := range config.Headers {
		keys.Add(llm.Key(secret.FromHeader(name, value)))
	}
	if config.Sign != nil {
		config.Transport = config.Sign(config.Transport, keys.Add)
	}
	return &Endpoint{
		config: config, keys: keys,
		// A redirect is reported, not followed. Following it would turn the request into a GET and
		// could send the API key to another host.
		http: reachlog.NewClient(config.Transport, reachlog.NoRedirect),
	}
}

// newTransport returns Go's default transport with three changes. It does not request compression,
// because servers then delay events to fill a block. It detects a connection that was lost while the
// machine slept. It reports an unreadable proxy as an error.
func newTransport() http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.DisableCompression = true
	transport.Proxy = proxyFromEnvironment
	const pingAfter, pingAnswer = 15 * time.Second, 15 * time.Second
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAnswer}
	return transport
}

// Close closes idle connections. Replies that are being streamed continue.
func (e *Endpoint) Close() { e.http.CloseIdleConnections() }

// Keys returns the API keys that texts must not show.
func (e *Endpoint) Keys() *llm.Keys { return e.keys }

// product is the name of the program for OpenRouter.
const product = "agent"

// newRequest returns a request to a path of the endpoint, with the headers of every request.
func (e *Endpoint) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	base, query, _ := strings.Cut(e.config.BaseURL, "?")
	if query != "" {
		query = "?" + query
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path+query, body)
	if err != nil {
		return nil, err
	}
	for name, value := range e.config.Headers {
		request.Header.Set(name, value)
	}
	if vendor.At(e.Host(), "").Title && request.Header.Get("X-Title") == "" {
		request.Header.Set("X-Title", product)
	}
	if e.config.UserAgent != "" {
		request.Header.Set("User-Agent", e.config.UserAgent)
	}
	switch {
	case e.config.Key == "":
	case e.config.KeyHeader != "":
		request.Header.Set(e.config.KeyHeader, string(e.config.Key))
	default:
		request.Header.Set("Authorization", "Bearer "+string(e.config.Key))
	}
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

// Host returns the endpoint's host, with its port if it has one.
func (e *Endpoint) Host() string {
	u, err := url.Parse(e.config.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Name returns the base URL without user, password and query, for messages.
func (e *Endpoint) Name() string {
	u, err := url.Parse(e.config.BaseURL)
	if err != nil {
		return "the endpoint"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// ModelsPath is the path of the list of models.
const ModelsPath = "/models"

const (
	// probeTimeout limits each request for facts about models. The facts are only worth a short wait.
	probeTimeout = 3 * time.Second
	// maxModelsBody limits a list of models, in bytes. Routers list hundreds with descriptions.
	maxModelsBody = 16 << 20
)

// Get requests a path of the endpoint, with additional headers, and returns the body of the answer. It
// waits only for a short time. The error is an *llm.Error unless ctx has ended.
func (e *Endpoint) Get(ctx context.Context, path string, header http.Header) ([]byte, error) {
	timed, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	response, body, err := e.fetch(timed, http.MethodGet, path, "", header)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		return nil, e.NewError(llm.Unavailable, "", fmt.Sprintf("did not list its models within %s", probeTimeout))
	case err != nil:
		return nil, e.connectionFailure(err, "")
	case response.StatusCode != http.StatusOK:
		p := refusal.Parse(body[:min(len(body), maxErrorBody)])
		p.Status, p.Header = response.StatusCode, response.Header
		return nil, e.ProblemError(p, "")
	}
	return body, nil
}

// Ask sends a request to a path next to /v1 and decodes the JSON of the answer. There, local servers
// report facts that are not part of the API.
func (e *Endpoint) Ask(ctx context.Context, method, path, question string, answer any) error {
	beside := &Endpoint{config: e.config, http: e.http}
	base, query, _ := strings.Cut(e.config.BaseURL, "?")
	beside.config.BaseURL = strings.TrimSuffix(base, "/v1") + "?" + query
	response, body, err := beside.fetch(ctx, method, path, question, nil)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %d", path, response.StatusCode)
	}
	return json.Unmarshal(body, answer)
}

func (e *Endpoint) fetch(ctx context.Context, method, path, question string, header http.Header) (response *http.Response, body []byte, err error) {
	request, err := e.newRequest(ctx, method, path, strings.NewReader(question))
	if err != nil {
		return nil, nil, err
	}
	setAll(request.Header, header)
	response, err = e.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxModelsBody))
	return response, body, err
}

func setAll(to, from http.Header) {
	for name, values := range from {
		to[name] = values
	}
}

// longestModelID limits the id of a model in bytes. The longest known ids are file names.
const longestModelID = 512

// IsModelID reports whether id is acceptable as the id of a model. An id is shown by terminals and
// editors, stored in the session log and sent to the server. So it must be a single visible line that
// does not contain an API key.
func (e *Endpoint) IsModelID(id string) bool {
	return id != "" && len(id) <= longestModelID && humanize.EscapeInvisible(id) == id && !strings.ContainsAny(id, "\n\t") && e.keys.Hide(id) == id
}

// maxStream limits a reply in bytes. A server that never stops would keep the program busy forever.
const maxStream = 256 << 20

// errEndless ends a stream of more than maxStream bytes.
var errEndless = fmt.Errorf("more than %d MiB in one reply", maxStream>>20)

// MalformedError returns the error for a faulty reply that another attempt would not fix.
func (e *Endpoint) MalformedError(model, text string) *llm.Error {
	failure := e.NewError(llm.Unavailable, model, text)
	failure.Hint, failure.Final = refusal.HintServerViolatesAPI, true
	return failure
}

// WrapError converts err, which ended a reply, to an *llm.Error. begun means that a part of the reply had
// arrived.
func (e *Endpoint) WrapError(err error, model string, begun bool) *llm.Error {
	if known, is := errors.AsType[*llm.Error](err); is {
		return known
	}
	if failure := e.unreadable(err, model); failure != nil {
		return failure
	}
	if !begun && !errors.Is(err, io.ErrUnexpectedEOF) {
		return e.connectionFailure(err, model)
	}
	failure := e.NewError(llm.Truncated, model, "the connection broke in the middle of the reply"+e.proxyName())
	failure.Err, failure.Costly = err, begun
	return failure
}
