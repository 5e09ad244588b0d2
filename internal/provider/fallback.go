package provider

import (
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

// ContinueAt decides where a conversation continues that was recorded with the endpoint at recorded. It
// continues there if that server is on this machine and the settings name no endpoint, or if the user
// agrees. It continues at the endpoint of the settings if CanTakeOver allows that. Otherwise the error is
// a *ConfigError, and nothing may be sent.
func ContinueAt(ctx context.Context, c *Connection, recorded string) (notice string, err error) {
	address, err := NormalizeBaseURL(recorded)
	if err != nil {
		return "", &ConfigError{fmt.Errorf("can't resume at the endpoint of the session: %w", err)}
	}
	from := Endpoint{BaseURL: address, Provider: vendorAt(address).Name, byURL: true}
	now, err := c.Endpoint()
	if err == nil && now.BaseURL == "" && c.config.Ask != nil {
		now = c.useChosen()
	}
	_, may, unusable := c.CanTakeOver(from)
	found := now.BaseURL == "" && c.config.Ask != nil && c.consent.mayUse(address) // the connector uses it again
	switch {
	case err != nil || found || now.BaseURL != "" && now.KeyHost() == from.KeyHost():
		return "", err
	case now.From < settings.LayerProfile && isLoopback(from.Host()):
	case may && unusable == nil:
		return fmt.Sprintf("The session used %s and continues at %s.", address, now.BaseURL), nil
	default:
		if err := askToContinue(ctx, c, address, now); err != nil {
			return "", err
		}
	}
	return "The session continues at its endpoint " + address + ".", c.config.Settings.Set(settings.LayerSession, settings.BaseURL.Key(), address)
}

// askToContinue asks the user whether a conversation continues at the address that is recorded for it.
func askToContinue(ctx context.Context, c *Connection, address string, now Endpoint) error {
	if c.config.Ask != nil {
		yes, err := c.config.Ask(ctx, fmt.Sprintf("The session used %s. Send this conversation there again?", address))
		if err != nil || yes {
			return err
		}
	}
	instead := ""
	if now.BaseURL != "" {
		instead = fmt.Sprintf(". To send the conversation to %s instead, add --base-url %s", now.KeyHost(), now.BaseURL)
	}
	return &ConfigError{fmt.Errorf("can't resume: the session used %[1]s. To continue there, add --base-url %[1]s%[2]s", address, instead)}
}

// AllowTakeOver permits conversations with other endpoints to continue at a place, also in later runs.
func (c *Connection) AllowTakeOver(place string) error {
	return c.consent.remember(func(a *allowed) {
		if !slices.Contains(a.FallbackHosts, place) {
			a.FallbackHosts = append(a.FallbackHosts, place)
		}
	})
}
