package provider

import (
	"context"
	"errors"
	"net/http"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/settings"
)

// titleOf returns a stored login, formatted for a user, or "" if it is not stored.
func (c *Connection) titleOf(id string) string {
	if c.config.Logins == nil {
		return ""
	}
	all, _ := c.config.Logins.Store.All() // an unusable file has no logins; a request for a token returns the reason
	for _, l := range all {
		if l.ID() == id {
			return l.Title()
		}
	}
	return ""
}

// Limits returns the limits of the subscription or the API key in use, from the latest replies.
func (c *Connection) Limits() []login.LimitWindow {
	id := c.endpointInUse().Login
	if id == "" || c.config.Logins == nil {
		return c.keyLimits()
	}
	limited, is := c.config.Logins.Source(id).(login.LimitedSource)
	if !is {
		return nil
	}
	return limited.Limits()
}

// WantsLogin reports whether another API key or a login can fix the failure of a request.
func WantsLogin(failure error) bool {
	e, is := errors.AsType[*llm.Error](failure)
	return is && e.Kind == llm.Auth
}

// weights are the weights of tokens without cost, used if the model catalog has no prices.
var weights = settings.Prices{Input: 1, CacheRead: 0.1, CacheWrite: 1, Output: 1}

// TryLogin requests a vendor's list of models, signed with an API key or the tokens of a source. So it
// shows whether the vendor accepts them.
func TryLogin(ctx context.Context, at vendor.Vendor, key llm.Key, source login.Source, userAgent string) error {
	config := openai.Config{BaseURL: at.BaseURL, Key: key, UserAgent: userAgent, KeyHelp: "the account at " + at.Title}
	if source != nil {
		config.Sign = func(base http.RoundTripper, used func(llm.Key)) http.RoundTripper {
			return login.Sign(base, at.BaseURL, source, used)
		}
	}
	if vendor.At(hostOf(at.BaseURL), "").Messages {
		client := anthropic.NewClient(anthropic.Config{Endpoint: endpoint.Config{
			BaseURL: at.BaseURL, Key: key, UserAgent: userAgent, KeyHelp: config.KeyHelp, Sign: config.Sign,
		}})
		defer client.Close()
		_, err := client.ListModels(ctx)
		return err
	}
	client := openai.NewClient(config)
	defer client.Close()
	_, err := client.ListModels(ctx)
	return err
}
