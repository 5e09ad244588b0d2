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

// Models requests the models of the endpoint.
func (c *Connection) Models(ctx context.Context) ([]ModelOffer, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	return p.list(ctx)
}

// ListedModels returns the ids of the models that the endpoint in use has listed so far. It sends no request
// and does not wait; see OnModelsListed.
func (c *Connection) ListedModels() []string {
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

// ContextLimit returns the context window of a model in tokens, as reported by the endpoint or
// otherwise by the model catalog. It waits a short time for the endpoint if the catalog does not list
// the model. It also waits if users may run the server themselves, because such a server sets the
// context window when it starts.
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

// AddressOf returns the base URL of the endpoint that a connection uses, or "" if there is none.
func AddressOf(c *Connection) string { return c.endpointInUse().BaseURL }

// endpointInUse returns the endpoint in use, or the zero Endpoint if there is none.
func (c *Connection) endpointInUse() Endpoint {
	p, err := c.inUse()
	if err != nil {
		return Endpoint{}
	}
	return p.endpoint
}

// listed returns the catalog entry for a model at the endpoint in use.
func (c *Connection) listed(model string) (catalogue.Model, bool) {
	return catalogue.Lookup(c.endpointInUse().Vendor().Catalogue, model)
}

// Prices returns the prices of a model at the endpoint in use, as reported by the endpoint or otherwise
// by the model catalog. It returns nil if they are unknown. With a subscription they are Free.
func (c *Connection) Prices(model string) *settings.Prices {
	m, _ := c.listed(model)
	if m.Prices != nil && c.config.ModelsAge && catalogue.IsOutdated(c.config.Now()) {
		old := *m.Prices
		old.Outdated, m.Prices = true, &old
	}
	if p, err := c.inUse(); err == nil {
		if reported := p.offer(model).Prices; reported != nil {
			prices := *reported
			if prices.Steps == nil && m.Prices != nil && m.Prices.Input == prices.Input {
				prices.Steps = m.Prices.Steps // most endpoints report none
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

// SearchesWeb returns why the endpoint in use does not search the web for a model. It returns nil if it
// is known to.
func (c *Connection) SearchesWeb(model string) error {
	host := c.endpointInUse().Host()
	wants, api := vendor.At(host, model), openai.API(settings.API.Value(c.config.Settings))
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

// ExcludesHosts reports whether the endpoint in use can omit given hosts from its web searches.
func (c *Connection) ExcludesHosts(model string) bool { return c.speaksMessages(model) }

// IsFree reports whether the endpoint in use is a server that users run themselves, at its usual
// port, or is used with a subscription.
func (c *Connection) IsFree() bool {
	endpoint := c.endpointInUse()
	return endpoint.Login != "" || vendor.BillsNothing(endpoint.Host())
}

// ModelAndEndpoint returns the names of the model and the endpoint in use.
func (c *Connection) ModelAndEndpoint() string {
	s := c.config.Settings
	return settings.Model.Value(s) + " " + settings.Provider.Value(s) + " " + settings.BaseURL.Value(s)
}

// Family returns the family of a model at the endpoint in use, and the reason. The family comes from
// the setting model-family, or otherwise from the name of the model or the vendor.
func (c *Connection) Family(model string) (family vendor.Family, why string) {
	if set := settings.ModelFamily.Value(c.config.Settings); set != "auto" {
		return vendor.FamilyNamed(set), "from the setting model-family"
	}
	return vendor.Guess(c.endpointInUse().Host(), model)
}

// Cache returns the known facts about the cache of the endpoint in use for a model. If earlier replies
// have shown the cache lifetime, Life is that time.
func (c *Connection) Cache(model string) vendor.Cache {
	host := c.endpointInUse().Host()
	cache := vendor.CacheAt(host, model)
	if c.speaksMessages(model) {
		cache = vendor.MarkedCache
	} else if vendor.At(host, model).Messages {
		cache = vendor.Cache{Kind: vendor.CacheNone} // the vendor's endpoint for chat completions has no cache
	}
	cache.Bound = vendor.BoundReasoningOf(model).Prefix() || c.bound.of(host).Learned(model) || c.claudes.of(host).Learned(model).Bound
	if life := c.lives.of(host).Learned(model); life > 0 {
		cache.Life = life
	}
	return cache
}

// SaveCacheTTL stores the cache lifetime of the endpoint in use for a model.
func (c *Connection) SaveCacheTTL(model string, life time.Duration) {
	if host := c.endpointInUse().Host(); host != "" {
		c.lives.of(host).Keep(model, life)
	}
}

// IsLocal reports whether the endpoint in use is on this machine.
func (c *Connection) IsLocal() bool { return isLoopback(c.endpointInUse().Host()) }

// MayTruncate reports whether the endpoint in use may truncate long prompts without an error, as self-hosted
// servers do. Vendors refuse such prompts.
func (c *Connection) MayTruncate() bool { return c.endpointInUse().isOwn() }

// ReasoningEfforts returns the values of reasoning.effort that a model supports at the endpoint in use. If the
// model catalog does not list the model there, it returns the maker's values, because gateways pass
// them on. It returns nil if there are none.
func (c *Connection) ReasoningEfforts(model string) []string {
	m, listed := c.listed(model)
	if !listed {
		m, _ = catalogue.LookupByMaker(model)
	}
	return m.Efforts
}

// AcceptsPDFs reports whether a model supports PDFs at the endpoint in use: the vendor passes them on,
// and according to the model catalog the model supports images.
func (c *Connection) AcceptsPDFs(model string) bool {
	m, found := c.listed(model)
	return found && m.Images && (vendor.At(c.endpointInUse().Host(), model).Documents || c.speaksMessages(model))
}

// NoImagesReason returns the reason why no images are sent to a model, or "" if they are sent. Images are
// omitted only if the model catalog lists the model without image input.
func (c *Connection) NoImagesReason(model string) string {
	m, found := c.listed(model)
	if !found || m.Images || vendor.BaseName(m.ID) != vendor.BaseName(model) {
		return ""
	}
	return "the model " + model + " does not support images. Choose another with /model or -m"
}
