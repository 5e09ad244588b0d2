package provider

import (
	"context"
	"fmt"
	"strings"

	"agent/internal/settings"
)

// Find makes sure that there is somebody to talk to: what is set, else a server on
// this machine. The notice says in a line who it is when the user did not choose.
// The error is ErrNoEndpoint when there is nobody.
func (c *Connection) Find(ctx context.Context) (notice string, err error) {
	endpoint, err := c.Endpoint()
	if err != nil || endpoint.BaseURL != "" {
		return "", err
	}
	local, found := Detect(ctx, nil)
	if !found {
		return "", ErrNoEndpoint
	}
	if err := c.Use(local.BaseURL, local.Models[0]); err != nil {
		return "", err
	}
	return fmt.Sprintf("Using %s at %s with %s, since no endpoint is set; /model lists its models (%s).",
		local.Name, local.BaseURL, settings.Model.Of(c.config.Settings), strings.Join(local.Models[:min(3, len(local.Models))], ", ")), nil
}

// Use takes an endpoint and, unless one is set, a model that the user did not
// choose.
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
