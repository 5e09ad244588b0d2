package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/provider/catalogue"
	"agent/internal/settings"
)

// Models asks the endpoint for its models.
func (c *Connection) Models(ctx context.Context) ([]Offer, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	return p.list(ctx)
}

// Listed returns the ids of the models that the endpoint in use has listed so far. It does not
// ask or wait; see OnLearned.
func (c *Connection) Listed() []string {
	p, err := c.inUse()
	if err != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []string
	for _, o := range p.offers {
		ids = append(ids, o.ID)
	}
	return ids
}

// ContextLimit returns the window of a model in tokens: as the endpoint reports it, else as the
// catalogue has it. It waits a short time for the endpoint if the catalogue does not have the
// model, or if people may run the server themselves: such a server sets the window at its start.
func (c *Connection) ContextLimit(model string) (int, bool) {
	p, err := c.inUse()
	if err != nil {
		return ContextLimit(model)
	}
	known, inTable := p.catalogued(model)
	if !inTable || p.endpoint.isOwn() {
		p.wait()
	}
	if limit := p.offer(model).ContextLimit; limit > 0 {
		return limit, true
	}
	return known, inTable
}

// endpointInUse returns the endpoint in use, or the zero Endpoint if there is none.
func (c *Connection) endpointInUse() Endpoint {
	p, err := c.inUse()
	if err != nil {
		return Endpoint{}
	}
	return p.endpoint
}

// listed returns the entry of the catalogue for a model at the endpoint in use.
func (c *Connection) listed(model string) (catalogue.Model, bool) {
	return catalogue.At(c.endpointInUse().Vendor().Catalogue, model)
}

// Prices returns the prices of a model at the endpoint in use: as the endpoint reports them, else as
// the catalogue has them, or nil. With a subscription they are Free.
func (c *Connection) Prices(model string) *settings.Prices {
	m, _ := c.listed(model)
	if m.Prices != nil && c.config.ModelsAge && catalogue.Outdated(c.config.Now()) {
		old := *m.Prices
		old.Outdated, m.Prices = true, &old
	}
	if p, err := c.inUse(); err == nil {
		if reported := p.offer(model).Prices; reported != nil {
			prices := *reported
			if prices.Steps == nil && m.Prices != nil && m.Prices.Input == prices.Input {
				prices.Steps = m.Prices.Steps // most endpoints list none
			}
			m.Prices = &prices
		}
	}
	if c.endpointInUse().Login == "" {
		return m.Prices
	}
	free := weights
	if m.Prices != nil && m.Prices.Input > 0 {
		free = *m.Prices
	}
	free.Free = true
	return &free
}

// SearchesWeb returns why the endpoint in use does not search the web by itself for a model, nil if
// it is known to.
func (c *Connection) SearchesWeb(model string) error {
	host := c.endpointInUse().Host()
	wants, api := vendor.At(host, model), openai.API(settings.API.Of(c.config.Settings))
	switch {
	case host == "":
		return errors.New("web-search is provider, but no model provider is set")
	case wants.Search == vendor.SearchNone:
		return fmt.Errorf("web-search is provider, but %s offers no web search on this API. Choose a service with /set web-search", host)
	case wants.Search == vendor.SearchMessages && api != openai.APIAuto && api != apiMessages:
		return fmt.Errorf("web-search is provider, but %s searches only on the Messages API. Set api to auto", host)
	case wants.Search == vendor.SearchResponses && api == openai.APIChat:
		return fmt.Errorf("web-search is provider, but %s searches only on the Responses API. Set api to auto", host)
	}
	return nil
}

// LeavesOutHosts reports whether the endpoint in use omits hosts that are named when it
// searches the web.
func (c *Connection) LeavesOutHosts(model string) bool { return c.speaksMessages(model) }

// BillsNothing reports whether the endpoint in use is a server that people run themselves, at its
// usual port, or is used with a subscription.
func (c *Connection) BillsNothing() bool {
	endpoint := c.endpointInUse()
	return endpoint.Login != "" || vendor.BillsNothing(endpoint.Host())
}

// ModelAndEndpoint returns the names of the model and the endpoint in use.
func (c *Connection) ModelAndEndpoint() string {
	s := c.config.Settings
	return settings.Model.Of(s) + " " + settings.Provider.Of(s) + " " + settings.BaseURL.Of(s)
}

// Family returns the family of a model at the endpoint in use, and the reason: the setting
// model-family, else the name of the model or the vendor.
func (c *Connection) Family(model string) (family vendor.Family, why string) {
	if set := settings.ModelFamily.Of(c.config.Settings); set != "auto" {
		return vendor.FamilyNamed(set), "from the setting model-family"
	}
	return vendor.Guess(c.endpointInUse().Host(), model)
}

// Cache returns the known facts about the cache of the endpoint in use for a model. If earlier
// replies have shown how long the cache keeps a prompt, Life is that time.
func (c *Connection) Cache(model string) vendor.Cache {
	host := c.endpointInUse().Host()
	cache := vendor.CacheAt(host, model)
	if c.speaksMessages(model) {
		cache = vendor.MarkedCache
	} else if vendor.At(host, model).Messages {
		cache = vendor.Cache{Kind: vendor.CacheNone} // its endpoint for chat completions has none
	}
	cache.Bound = vendor.BoundReasoningOf(model).Prefix() || c.bound.of(host).Learned(model) || c.claudes.of(host).Learned(model).Bound
	if life := c.lives.of(host).Learned(model); life > 0 {
		cache.Life = life
	}
	return cache
}

// KeepCacheLife stores the life of the cache of the endpoint in use for a model.
func (c *Connection) KeepCacheLife(model string, life time.Duration) {
	if host := c.endpointInUse().Host(); host != "" {
		c.lives.of(host).Keep(model, life)
	}
}

// Local reports whether the endpoint in use is on this machine.
func (c *Connection) Local() bool { return isLoopback(c.endpointInUse().Host()) }

// Cuts reports whether the endpoint in use may silently cut prompts that are too long, as
// self-hosted servers do. Vendors refuse such prompts.
func (c *Connection) Cuts() bool { return c.endpointInUse().isOwn() }

// Efforts returns the values of reasoning.effort that a model takes at the endpoint in use. If the
// catalogue does not have the model there, it returns the maker's values, because gateways pass
// them on; nil if there are none.
func (c *Connection) Efforts(model string) []string {
	m, listed := c.listed(model)
	if !listed {
		m, _ = catalogue.ByMaker(model)
	}
	return m.Efforts
}

// Documents reports whether a model takes PDFs at the endpoint in use: the vendor passes them on, and
// the catalogue says that the model sees.
func (c *Connection) Documents(model string) bool {
	m, found := c.listed(model)
	return found && m.Images && (vendor.At(c.endpointInUse().Host(), model).Documents || c.speaksMessages(model))
}

// NoImages returns the reason why a model gets no images, "" if it gets them. Images are omitted
// only if the catalogue has the model and says that it takes none.
func (c *Connection) NoImages(model string) string {
	m, found := c.listed(model)
	if !found || m.Images || vendor.BaseName(m.ID) != vendor.BaseName(model) {
		return ""
	}
	return "the model " + model + " does not support images. Choose another with /model or -m"
}
