package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// Option is an endpoint that can be used if none is set.
type Option struct {
	// Local is a server on this machine. Its name is "" if there is none.
	Local LocalServer
	// Vendor is a vendor whose API key is in the environment.
	Vendor vendor.Vendor
}

// Options returns the servers on this machine, and then the vendors whose API keys are in the
// environment.
func (c *Connection) Options(ctx context.Context) []Option {
	var options []Option
	for _, local := range c.config.Detect(ctx) {
		options = append(options, Option{Local: local})
	}
	for _, known := range vendor.All() {
		if known.KeyVariable != "" && strings.TrimSpace(c.config.Env(known.KeyVariable)) != "" {
			options = append(options, Option{Vendor: known})
		}
	}
	return options
}

// UseOption uses an option that the user has chosen, now and at each later start without an endpoint.
func (c *Connection) UseOption(way Option) (notice string, err error) {
	name, local := way.Vendor.Name, way.Local
	err = c.consent.remember(func(a *allowed) {
		if a.Provider = name; name == "" {
			a.LocalServers = append(a.LocalServers, local.BaseURL)
		}
	})
	if err != nil {
		return "", err
	}
	if model, _ := c.config.Remembered(local.BaseURL); name == "" && len(local.Models) > 1 && !slices.Contains(local.Models, model) {
		return "", c.config.Settings.Set(settings.LayerDetected, settings.BaseURL.Key(), local.BaseURL) // the user chooses the model
	}
	if name == "" {
		return c.use(local)
	}
	endpoint := c.useChosen()
	if endpoint.BaseURL == "" {
		return "", &ConfigError{fmt.Errorf("no API key for %s", way.Vendor.Title)}
	}
	return c.useRemembered(endpoint), nil
}

// useChosen uses the vendor that the user chose for starts without an endpoint, if its API key is
// available. It returns the endpoint, or the zero Endpoint.
func (c *Connection) useChosen() Endpoint {
	known, named := vendor.Named(c.consent.read().Provider)
	if !named || known.Local() {
		return Endpoint{}
	}
	s := c.config.Settings
	if s.Set(settings.LayerDetected, settings.Provider.Key(), known.Name) != nil {
		return Endpoint{}
	}
	if endpoint, err := c.Endpoint(); err == nil && endpoint.Key != "" {
		return endpoint
	}
	_, _ = s.Unset(settings.LayerDetected, settings.Provider.Key()) // the key is declared
	return Endpoint{}
}

// Hint returns a hint on where a server on this machine is, and how to use it.
func (l LocalServer) Hint() string {
	flag := "--base-url " + l.BaseURL
	for _, known := range vendor.All() {
		if known.Title == l.Name && known.BaseURL == l.BaseURL {
			flag = "--provider " + known.Name
		}
	}
	return fmt.Sprintf("%s runs at %s. To use it, run: agent %s", l.Name, l.BaseURL, flag)
}

// IsChosen reports whether the user has chosen to use a server on this machine.
func IsChosen(c *Connection, local LocalServer) bool { return c.consent.mayUse(local.BaseURL) }

// LocalServers returns the servers on this machine.
func (c *Connection) LocalServers(ctx context.Context) []LocalServer { return c.config.Detect(ctx) }
