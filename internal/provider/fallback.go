package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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

// ContinueAt decides where a conversation continues that was recorded with the endpoint at address. It
// continues there if that server is on this machine and the settings name no endpoint, or if the user
// agrees. It continues at the endpoint of the settings if CanTakeOver allows that. Otherwise the error is
// a *ConfigError, and nothing may be sent.
func ContinueAt(ctx context.Context, c *Connection, address string) (notices []string, err error) {
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
		if yes, err = c.config.Ask(ctx, fmt.Sprintf("The session used %s. Send this conversation there again?", address)); err != nil {
			return nil, err
		}
	}
	if !yes {
		return nil, &ConfigError{fmt.Errorf("can't resume: the session used %[1]s, and your settings name %[2]s. To continue there, add --base-url %[1]s. To continue elsewhere, name that endpoint with --base-url or --provider", address, cmp.Or(now.KeyHost(), "no endpoint"))}
	}
	return []string{"The session continues at its endpoint " + address + "."}, c.config.Settings.Set(settings.LayerSession, settings.BaseURL.Key(), address)
}

// AllowTakeOver permits conversations with other endpoints to continue at a place, also in later runs.
func (c *Connection) AllowTakeOver(place string) error {
	return c.consent.remember(func(a *allowed) {
		if !slices.Contains(a.FallbackHosts, place) {
			a.FallbackHosts = append(a.FallbackHosts, place)
		}
	})
}
