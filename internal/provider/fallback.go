package provider

import "slices"

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

// AllowTakeOver permits conversations with other endpoints to continue at a place, also in later runs.
func (c *Connection) AllowTakeOver(place string) error {
	return c.consent.remember(func(a *allowed) {
		if !slices.Contains(a.FallbackHosts, place) {
			a.FallbackHosts = append(a.FallbackHosts, place)
		}
	})
}
