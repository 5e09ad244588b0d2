package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// Find makes sure that there is an endpoint: the endpoint that is set or was chosen before, or
// otherwise a server on this machine that the user approves. In the second case, notice is a line about
// the server. If there is no endpoint, the error is ErrNoEndpoint.
func (c *Connection) Find(ctx context.Context) (notice string, err error) {
	locals, notice, err := c.findKnown(ctx)
	if len(locals) == 0 || !errors.Is(err, ErrNoEndpoint) || c.config.Ask == nil {
		return notice, err
	}
	yes, failed := c.config.Ask(ctx, fmt.Sprintf("No model provider is set. Use %s at %s (models: %s)? [Y/n]", locals[0].Name, locals[0].BaseURL, shortList(locals[0].Models)))
	if failed != nil || !yes {
		return "", cmp.Or(failed, err)
	}
	if _, err := c.UseOption(Option{Local: locals[0]}); err != nil {
		return "", err
	}
	return c.use(locals[0])
}

// FindKnown does the same as Find, but does not ask about servers on this machine.
func (c *Connection) FindKnown(ctx context.Context) (notice string, err error) {
	_, notice, err = c.findKnown(ctx)
	return notice, err
}

// findKnown uses the endpoint that is set or was chosen before. If there is none, it returns the
// servers on this machine and ErrNoEndpoint.
func (c *Connection) findKnown(ctx context.Context) (locals []LocalServer, notice string, err error) {
	endpoint, err := c.Endpoint()
	if err != nil {
		return nil, "", err
	}
	if endpoint.Withheld {
		if endpoint, err = c.askForKey(ctx, endpoint); err != nil {
			return nil, "", err
		}
	}
	if endpoint.BaseURL == "" && c.config.Ask != nil {
		endpoint = c.useChosen()
	}
	if endpoint.BaseURL != "" {
		c.caution(endpoint, c.extras(endpoint))
		return nil, c.useRemembered(endpoint), nil
	}
	locals = c.config.Detect(ctx)
	if i := slices.IndexFunc(locals, func(l LocalServer) bool { return c.consent.mayUse(l.BaseURL) }); i >= 0 && c.config.Ask != nil {
		notice, err := c.use(locals[i])
		return nil, notice, err
	}
	return locals, "", c.noEndpoint(locals)
}

// use starts to use a server on this machine, and returns a notice about it.
func (c *Connection) use(local LocalServer) (notice string, err error) {
	model, _ := c.config.Remembered(local.BaseURL)
	if !slices.Contains(local.Models, model) {
		model = local.Models[0]
	}
	if err := c.Use(local.BaseURL, model); err != nil {
		return "", err
	}
	used, change := settings.Model.Value(c.config.Settings), "To change, type /model."
	others := slices.DeleteFunc(slices.Clone(local.Models), func(m string) bool { return m == used })
	if len(others) > 0 {
		change = fmt.Sprintf("To use another model there, such as %s, type /model.", shortList(others))
	}
	return fmt.Sprintf("Using the model %s of %s at %s, because no model provider is set. %s", used, local.Name, local.BaseURL, change), nil
}

// useRemembered uses the model that was last chosen at an endpoint if no model is set. It returns a
// notice about that, once for each choice.
func (c *Connection) useRemembered(endpoint Endpoint) (notice string) {
	if settings.Model.Value(c.config.Settings) != "" {
		return ""
	}
	model, news := c.config.Remembered(endpoint.BaseURL)
	if model == "" || c.config.Settings.Set(settings.LayerDetected, settings.Model.Key(), model) != nil {
		return ""
	}
	c.mu.Lock()
	c.remembered = model
	c.mu.Unlock()
	if !news {
		return ""
	}
	return fmt.Sprintf("Using %s, your last choice at %s. To change it, type /model.", model, endpoint.Host())
}

// forget stops using a remembered model that the endpoint no longer offers.
func (c *Connection) forget(p *peer) {
	c.mu.Lock()
	model := c.remembered
	c.mu.Unlock()
	s := c.config.Settings
	if _, from := s.Get(settings.Model.Key()); model == "" || from != settings.LayerDetected || settings.Model.Value(s) != model || len(p.listed()) == 0 || p.offer(model).ID != "" {
		return
	}
	if was, err := s.Unset(settings.LayerDetected, settings.Model.Key()); !was || err != nil {
		return
	}
	c.mu.Lock()
	note := c.note
	c.mu.Unlock()
	note(model + ", your last choice here, is no longer available. To choose another, type /model.")
}

// askForKey asks the user, once for each host, whether to send OPENAI_API_KEY there.
func (c *Connection) askForKey(ctx context.Context, e Endpoint) (Endpoint, error) {
	if c.config.Ask == nil {
		return e, &ConfigError{withheld(e)}
	}
	yes, err := c.config.Ask(ctx, fmt.Sprintf("Send %s to %s (base-url of the %s)?", vendor.EnvKey, e.KeyHost(), e.From))
	if err != nil {
		return e, err
	}
	if !yes {
		c.mu.Lock()
		c.declined = e.KeyHost()
		c.mu.Unlock()
		return e, nil
	}
	err = c.consent.remember(func(a *allowed) { a.KeyHosts = append(a.KeyHosts, e.KeyHost()) })
	if err != nil {
		return e, err
	}
	return c.Endpoint()
}

// noEndpoint returns ErrNoEndpoint. Its hints mention a server on this machine, and a vendor whose API
// key is set.
func (c *Connection) noEndpoint(locals []LocalServer) error {
	var hints []string
	for _, local := range locals[:min(1, len(locals))] {
		hints = append(hints, local.Hint())
	}
	vendors := vendor.All()
	if i := slices.IndexFunc(vendors, func(p vendor.Vendor) bool { return p.KeyVariable != "" && c.config.Env(p.KeyVariable) != "" }); i >= 0 {
		hints = append(hints, vendors[i].KeyVariable+" is set. To use it, add --provider "+vendors[i].Name)
	}
	if len(hints) == 0 {
		return ErrNoEndpoint
	}
	unset := *ErrNoEndpoint
	unset.Err = ErrNoEndpoint
	unset.Hint = strings.Join(hints, ". ")
	return &unset
}

func shortList(models []string) string {
	const shown = 3
	var names []string
	for _, model := range models[:min(shown, len(models))] {
		names = append(names, humanize.Line(model, maxShown))
	}
	return strings.Join(names, ", ")
}

// Use sets an endpoint that was found and, unless a model is set, a model there.
func (c *Connection) Use(baseURL, model string) error {
	s := c.config.Settings
	if err := s.Set(settings.LayerDetected, settings.BaseURL.Key(), baseURL); err != nil {
		return err
	}
	if settings.Model.Value(s) != "" {
		return nil
	}
	return s.Set(settings.LayerDetected, settings.Model.Key(), model)
}
