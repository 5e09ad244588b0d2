package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/secret"
	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/provider/catalogue"
	"agent/internal/settings"
)

// peer is an endpoint in use.
type peer struct {
	endpoint Endpoint
	extras   extras
	// follows contains the settings that determine the endpoint, as returned by Connection.settingsKey.
	follows string
	client  *openai.Client
	// claude is the client for the Messages API.
	claude *anthropic.Client
	// asked is closed when the endpoint has listed its models, or has failed to.
	asked  chan struct{}
	waited sync.Once

	mu     sync.Mutex
	offers []ModelOffer
	// failed is the reason why the endpoint did not list its models at the latest request, or nil.
	failed error
	told   bool
	// foundMessages is set once an unknown endpoint has listed its models in the form of the Messages
	// API.
	foundMessages bool
	// refreshing is set while the models are requested again.
	refreshing bool
}

const (
	// learnTimeout limits the time that an endpoint may take to list its models.
	learnTimeout = 3 * time.Second
	// learnPatience limits the time that others wait for the list.
	learnPatience = 300 * time.Millisecond
)

// learn requests the models of an endpoint, and sets its only model if none is set. It ignores
// failures, because the first request reports them.
func (c *Connection) learn(p *peer) {
	c.ask(p)
	s := c.config.Settings
	c.forget(p)
	c.useOnly(p)
	close(p.asked)
	c.mu.Lock()
	learned, note := c.learned, c.note
	c.mu.Unlock()
	if model := settings.Model.Value(s); p.offer(model).Assumed && c.isCurrent(p) {
		note(assumedNote(model))
		if c.config.Preload {
			go func() { // the first request reports a failure
				if loadOllama(p.client, model) == nil {
					c.refresh(p)
				}
			}()
		}
	}
	learned()
}

// refresh requests the models of an endpoint again if a context window was assumed. A server reports
// the context window once it has loaded the model.
func (c *Connection) refresh(p *peer) {
	p.mu.Lock()
	busy := p.refreshing
	p.refreshing = true
	p.mu.Unlock()
	if busy {
		return
	}
	c.ask(p)
	p.mu.Lock()
	p.refreshing = false
	p.mu.Unlock()
	c.mu.Lock()
	learned := c.learned
	c.mu.Unlock()
	learned()
}

// ask requests the models of an endpoint and stores the answer or the failure.
func (c *Connection) ask(p *peer) {
	ctx, cancel := context.WithTimeout(context.Background(), learnTimeout)
	defer cancel()
	found, err := p.list(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed = err; err == nil {
		p.offers = found
	}
}

// askAgain requests the models of an endpoint once more, after a failure to list them was reported. The
// endpoint may answer now.
func (c *Connection) askAgain(p *peer) {
	p.mu.Lock()
	again := p.failed != nil && p.told
	p.told = p.failed != nil
	p.mu.Unlock()
	if !again {
		return
	}
	c.ask(p)
	c.useOnly(p)
}

// useOnly sets the only model of an endpoint if no model is set.
func (c *Connection) useOnly(p *peer) {
	s := c.config.Settings
	if only := p.onlyModel(); only != "" && settings.Model.Value(s) == "" && c.isCurrent(p) {
		_ = s.Set(settings.LayerDetected, settings.Model.Key(), only) // fails for an id that the setting does not accept
	}
}

// wait waits, for a short time, until the endpoint has listed its models. It waits only once, because
// each request needs the context window several times.
func (p *peer) wait() {
	p.waited.Do(func() {
		select {
		case <-p.asked:
		case <-time.After(learnPatience):
		}
	})
}

// onlyModel returns the id of the endpoint's only model, or "" if it has several or none.
func (p *peer) onlyModel() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.offers) != 1 {
		return ""
	}
	return p.offers[0].ID
}

func (p *peer) listed() []ModelOffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offers
}

// offer returns the endpoint's entry for a model, or the zero ModelOffer.
func (p *peer) offer(model string) ModelOffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.offers {
		if SameModel(o.ID, model) {
			return o
		}
	}
	return ModelOffer{}
}

// catalogued returns the context window of a model in the model catalog: at this vendor, or otherwise
// at any provider.
func (p *peer) catalogued(model string) (int, bool) {
	if m, found := catalogue.Lookup(p.endpoint.Vendor().Catalogue, model); found && m.Window > 0 {
		limit, _ := ContextLimit(model)
		return cmp.Or(m.Window, limit), true
	}
	return ContextLimit(model)
}

// keys returns the API key of the endpoint and the API keys in the headers of its requests.
func (p *peer) keys() []llm.Key {
	var keys []llm.Key
	if p.endpoint.Key != "" {
		keys = append(keys, p.endpoint.Key)
	}
	for name, value := range p.extras.headers {
		if key := secret.FromHeader(name, value); key != "" {
			keys = append(keys, llm.Key(key))
		}
	}
	return keys
}

// keyless returns an error if the endpoint belongs to a vendor and its API key is missing, because the
// vendor would refuse the request. Headers of the user may replace the key.
func (p *peer) keyless() error {
	known := p.endpoint.Vendor()
	if known.Local() || p.endpoint.HasCredential() || p.endpoint.BaseURL != known.BaseURL && known.Cloud == nil || len(p.extras.headers) > 0 {
		return nil
	}
	return &llm.Error{
		Kind:    llm.Auth,
		Message: "no API key for " + known.Title,
		Hint:    "set " + known.KeyVariable + ", or run: agent login " + known.Name,
	}
}

// NoModelError is returned if the endpoint answers but no model is set. The user can then choose one.
type NoModelError struct{ says string }

func (e *NoModelError) Error() string { return e.says }

// ChoosesModel reports that the request can be sent once a model is chosen.
func (*NoModelError) ChoosesModel() bool { return true }

// noModel returns the error that no model is set, with the available models. If the endpoint failed to
// list its models, it returns that failure.
func (p *peer) noModel() error {
	const shown = 8
	const choose = "choose one with -m MODEL or /model MODEL"
	p.mu.Lock()
	defer p.mu.Unlock()
	failure, is := errors.AsType[*llm.Error](p.failed)
	if is && len(p.offers) == 0 && slices.Contains([]llm.ErrorKind{llm.Unavailable, llm.Auth, llm.RateLimit}, failure.Kind) {
		return failure
	}
	if len(p.offers) == 0 {
		hint := choose
		if known := p.endpoint.Vendor(); known.Catalogue != "" {
			hint += ". To list known models, run: agent models --all " + known.Name
		}
		return &ConfigError{&NoModelError{"no model is set; " + hint}}
	}
	var names []string
	for _, o := range p.offers[:min(shown, len(p.offers))] {
		names = append(names, o.ID)
	}
	offer := strings.Join(names, ", ")
	if more := len(p.offers) - shown; more > 0 {
		offer += fmt.Sprintf(" and %d more", more)
	}
	return &ConfigError{&NoModelError{fmt.Sprintf("no model is set; available: %s; %s", offer, choose)}}
}
