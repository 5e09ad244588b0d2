package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// CanTakeOver returns the place of the endpoint (see KeyHost), and whether a conversation with another
// endpoint may continue there. It may if both belong to one company, the endpoint is on this machine,
// or the user has approved it. Nothing is sent. The error is the reason why no request can be made.
func (c *Connection) CanTakeOver(from Endpoint) (place string, may bool, err error) {
	if err := c.CheckUsable(); err != nil {
		return "", false, err
	}
	to, err := c.Endpoint()
	if err == nil && to.Withheld {
		err = withheld(to)
	}
	company := to.Owner().Name
	may = to.KeyHost() == from.KeyHost() || company != "" && company == from.Owner().Name ||
		isLoopback(to.Host()) || slices.Contains(c.consent.read().FallbackHosts, to.KeyHost())
	return to.KeyHost(), may, err
}

// ContinueAt decides where a conversation continues that was recorded with the endpoint at recorded. It
// continues there if that server is on this machine and the settings name no endpoint, or if the user
// agrees. It continues at the endpoint of the settings if CanTakeOver allows that. Otherwise the error is
// a *ConfigError, and nothing may be sent.
func ContinueAt(ctx context.Context, c *Connection, recorded string) (notices []string, err error) {
	address, err := NormalizeBaseURL(recorded)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("can't resume at the recorded endpoint: %w. To continue elsewhere, name an endpoint with --base-url or --provider", err)}
	}
	from := Endpoint{BaseURL: address, Provider: vendorAt(address).Name, byURL: true}
	now, err := c.Endpoint()
	if err == nil && now.BaseURL == "" && c.config.Ask != nil {
		now = c.useChosen()
	}
	_, may, unusable := c.CanTakeOver(from)
	found := now.BaseURL == "" && c.config.Ask != nil && c.consent.mayUse(address) // the connector uses it again
	if err != nil || found || now.BaseURL != "" && now.KeyHost() == from.KeyHost() {
		return nil, err
	}
	yes := now.From < settings.LayerProfile && isLoopback(from.Host())
	if !yes && may && unusable == nil {
		return []string{fmt.Sprintf("The session used %s and continues at %s.", address, now.BaseURL)}, nil
	}
	if !yes && c.config.Ask != nil {
		if yes, err = c.config.Ask(ctx, fmt.Sprintf("The session used %s, your settings name %s. Send it to %[1]s again?", address, cmp.Or(now.BaseURL, "no endpoint"))); err != nil {
			return nil, err
		}
	}
	if !yes {
		return nil, &ConfigError{fmt.Errorf("can't resume: the session used %[1]s, and your settings name %[2]s. To continue there, add --base-url %[1]s. To continue elsewhere, name that endpoint with --base-url or --provider", address, cmp.Or(now.BaseURL, "no endpoint"))}
	}
	notice := "The session continues at its endpoint " + address + "."
	if err = c.config.Settings.Set(settings.LayerSession, settings.BaseURL.Key(), address); err == nil && c.config.Env(vendor.EnvKey) != "" {
		if now, err = c.Endpoint(); err == nil && !now.HasCredential() {
			notice += fmt.Sprintf(" %s is not sent there. To send it, add --base-url %s", vendor.EnvKey, address)
		}
	}
	return []string{notice}, err
}

// AllowTakeOver permits conversations with other endpoints to continue at a place, also in later runs.
func (c *Connection) AllowTakeOver(place string) error {
	return c.consent.remember(func(a *allowed) {
		if !slices.Contains(a.FallbackHosts, place) {
			a.FallbackHosts = append(a.FallbackHosts, place)
		}
	})
}
