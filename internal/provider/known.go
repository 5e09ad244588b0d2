package provider

import (
	"context"
	"time"

	"agent/internal/llm/vendor"
	"agent/internal/provider/catalogue"
	"agent/internal/settings"
)

// Models lists what the endpoint offers.
func (c *Connection) Models(ctx context.Context) ([]Offer, error) {
	p, err := c.current()
	if err != nil {
		return nil, err
	}
	return offers(ctx, p.client)
}

// Listed are the ids of the models that the endpoint in use has listed until now. Nothing is
// asked and nothing is waited for; see OnLearned.
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

// ContextLimit is the window of a model: what the endpoint reports, else what the
// catalogue says. The endpoint is waited for, not for long, when the model is not in
// it, and when it may be a server of somebody's own: that runs a model by the name of
// a vendor's with the window it was given.
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

// endpointInUse is the endpoint in use, the zero Endpoint where there is none.
func (c *Connection) endpointInUse() Endpoint {
	p, err := c.inUse()
	if err != nil {
		return Endpoint{}
	}
	return p.endpoint
}

// listed is what the catalogue has of a model at the endpoint in use.
func (c *Connection) listed(model string) (catalogue.Model, bool) {
	return catalogue.At(c.endpointInUse().Vendor().Catalogue, model)
}

// Prices are what a million tokens of a model cost at the endpoint in use, as the
// catalogue knows; nil when it does not.
func (c *Connection) Prices(model string) *settings.Prices {
	m, _ := c.listed(model)
	return m.Prices
}

// Named names the model in use and its endpoint.
func (c *Connection) Named() string {
	s := c.config.Settings
	return settings.Model.Of(s) + " " + settings.Provider.Of(s) + " " + settings.BaseURL.Of(s)
}

// Family is the family of a model at the endpoint in use, with the reason: the setting
// model-family, else what name and vendor say.
func (c *Connection) Family(model string) (family vendor.Family, why string) {
	if set := settings.ModelFamily.Of(c.config.Settings); set != "auto" {
		return vendor.FamilyNamed(set), "set by model-family"
	}
	return vendor.Guess(c.endpointInUse().Host(), model)
}

// Cache is what is known of the cache of the endpoint in use for a model, with the life that
// earlier replies taught.
func (c *Connection) Cache(model string) vendor.Cache {
	host := c.endpointInUse().Host()
	cache := vendor.CacheAt(host, model)
	if life := c.lives.of(host).Learned(model); life > 0 {
		cache.Life = life
	}
	return cache
}

// KeepCacheLife keeps how long the cache of the endpoint in use was found to live for a
// model.
func (c *Connection) KeepCacheLife(model string, life time.Duration) {
	if host := c.endpointInUse().Host(); host != "" {
		c.lives.of(host).Keep(model, life)
	}
}

// Local reports whether the endpoint in use is on this machine.
func (c *Connection) Local() bool { return isLoopback(c.endpointInUse().Host()) }

// Cuts reports whether the endpoint in use may be a server of somebody's own, which
// cuts prompts that are too long without a word; vendors refuse them.
func (c *Connection) Cuts() bool { return c.endpointInUse().isOwn() }

// Efforts are the values of reasoning-effort that the catalogue knows of a model at this
// provider, nil for none.
func (c *Connection) Efforts(model string) []string {
	m, _ := c.listed(model)
	return m.Efforts
}

// NoImages says why images are not sent to a model: the catalogue knows it and that
// it takes none. It is empty for all others.
func (c *Connection) NoImages(model string) string {
	m, found := c.listed(model)
	if !found || m.Images || vendor.BaseName(m.ID) != vendor.BaseName(model) {
		return ""
	}
	return "the model " + model + " takes no images; choose another with /model or -m"
}
