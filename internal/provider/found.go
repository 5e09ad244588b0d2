package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/words"
)

// Find makes sure that there is an endpoint: the one that is set, else a server on this machine
// that the user agrees to. For a server that was found, the notice names it in a line. The
// error is ErrNoEndpoint when there is no endpoint.
func (c *Connection) Find(ctx context.Context) (notice string, err error) {
	endpoint, err := c.Endpoint()
	if err != nil {
		return "", err
	}
	if endpoint.Withheld {
		if endpoint, err = c.askForKey(ctx, endpoint); err != nil {
			return "", err
		}
	}
	if endpoint.BaseURL != "" {
		c.caution(endpoint, c.extras(endpoint))
		return "", nil
	}
	if c.config.Ask == nil {
		return "", c.noEndpoint()
	}
	local, found := c.config.Detect(ctx)
	if !found {
		return "", c.noEndpoint()
	}
	if agreed, err := c.askForServer(ctx, local); err != nil || !agreed {
		return "", cmp.Or(err, c.noEndpoint())
	}
	if err := c.Use(local.BaseURL, local.Models[0]); err != nil {
		return "", err
	}
	return fmt.Sprintf("Using %s at %s with %s, since no endpoint is set; /model lists its models (%s).",
		local.Name, local.BaseURL, settings.Model.Of(c.config.Settings), shortList(local.Models)), nil
}

// askForKey asks, once for each host, whether to send OPENAI_API_KEY there.
func (c *Connection) askForKey(ctx context.Context, e Endpoint) (Endpoint, error) {
	if c.config.Ask == nil {
		return e, &ConfigError{withheld(e)}
	}
	yes, err := c.config.Ask(ctx, fmt.Sprintf("Send %s to %s, which the %s names?", vendor.EnvKey, e.Place(), e.From))
	if err != nil {
		return e, err
	}
	if !yes {
		c.mu.Lock()
		c.declined = e.Place()
		c.mu.Unlock()
		return e, nil
	}
	err = c.consent.remember(func(a *allowed) { a.KeyHosts = append(a.KeyHosts, e.Place()) })
	if err != nil {
		return e, err
	}
	return c.Endpoint()
}

// askForServer asks, once for each server on this machine, whether to use it.
func (c *Connection) askForServer(ctx context.Context, local Local) (bool, error) {
	if c.consent.mayUse(local.BaseURL) {
		return true, nil
	}
	yes, err := c.config.Ask(ctx, fmt.Sprintf("No endpoint is set. Use %s at %s, which offers %s?", local.Name, local.BaseURL, shortList(local.Models)))
	if err != nil || !yes {
		return false, err
	}
	return true, c.consent.remember(func(a *allowed) { a.LocalServers = append(a.LocalServers, local.BaseURL) })
}

// noEndpoint returns ErrNoEndpoint with a hint at a vendor for which a key is set.
func (c *Connection) noEndpoint() error {
	vendors := vendor.All()
	i := slices.IndexFunc(vendors, func(p vendor.Vendor) bool { return !p.Local() && c.config.Env(p.KeyVariable) != "" })
	if i < 0 {
		return ErrNoEndpoint
	}
	unset := *ErrNoEndpoint
	unset.Err = ErrNoEndpoint
	unset.Hint = vendors[i].KeyVariable + " is set: --provider " + vendors[i].Name + " uses it"
	return &unset
}

func shortList(models []string) string {
	const shown = 3
	var names []string
	for _, model := range models[:min(shown, len(models))] {
		names = append(names, words.Line(model, maxShown))
	}
	return strings.Join(names, ", ")
}

// Use sets an endpoint that was found and, unless one is set, a model there.
func (c *Connection) Use(baseURL, model string) error {
	s := c.config.Settings
	if err := s.Set(settings.Found, settings.BaseURL.Key(), baseURL); err != nil {
		return err
	}
	if settings.Model.Of(s) != "" {
		return nil
	}
	return s.Set(settings.Found, settings.Model.Key(), model)
}
