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
	if !inTable || p.isOwn() {
		p.wait()
	}
	if limit, ok := p.window(model); ok {
		return limit, true
	}
	return known, inTable
}

// Prices are what a million tokens of a model cost at the endpoint in use, as the
// catalogue knows; nil when it does not.
func (c *Connection) Prices(model string) *settings.Prices {
	p, err := c.inUse()
	if err != nil {
		return nil
	}
	return p.prices(model)
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
	host := ""
	if p, err := c.inUse(); err == nil {
		host = p.endpoint.Host()
	}
	return vendor.Guess(host, model)
}

// Cache is what is known of the cache of the endpoint in use for a model, with the life that
// earlier replies taught.
func (c *Connection) Cache(model string) vendor.Cache {
	p, err := c.inUse()
	if err != nil {
		return vendor.Cache{}
	}
	cache := vendor.CacheAt(p.endpoint.Host(), model)
	if life := c.lives.of(p.endpoint.Host()).Learned(model); life > 0 {
		cache.Life = life
	}
	return cache
}

// KeepCacheLife keeps how long the cache of the endpoint in use was found to live for a
// model.
func (c *Connection) KeepCacheLife(model string, life time.Duration) {
	if p, err := c.inUse(); err == nil {
		c.lives.of(p.endpoint.Host()).Keep(model, life)
	}
}

// Local reports whether the endpoint in use is on this machine.
func (c *Connection) Local() bool {
	p, err := c.inUse()
	return err == nil && isLoopback(p.endpoint.Host())
}

// Cuts reports whether the endpoint in use may be a server of somebody's own, which
// cuts prompts that are too long without a word; vendors refuse them.
func (c *Connection) Cuts() bool {
	p, err := c.inUse()
	return err == nil && p.isOwn()
}

// Efforts are the values of reasoning-effort that the catalogue knows of a model at this
// provider, nil for none.
func (c *Connection) Efforts(model string) []string {
	in, err := c.inUse()
	if err != nil {
		return nil
	}
	m, _ := catalogue.At(in.endpoint.Vendor().Catalogue, model)
	return m.Efforts
}

// NoImages says why images are not sent to a model: the catalogue knows it and that
// it takes none. It is empty for all others.
func (c *Connection) NoImages(model string) string {
	p, err := c.inUse()
	if err != nil {
		return ""
	}
	m, found := catalogue.At(p.endpoint.Vendor().Catalogue, model)
	if !found || m.Images || catalogue.Name(m.ID) != catalogue.Name(model) {
		return ""
	}
	return "the model " + model + " takes no images; choose another with /model or -m"
}
