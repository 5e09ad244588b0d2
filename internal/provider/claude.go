package provider

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/provider/catalogue"
	"agent/internal/reachlog"
	"agent/internal/settings"
)

// apiMessages is the value of the setting api for the Messages API of Anthropic.
const apiMessages openai.API = "messages"

// newClaude returns the client of the Messages API for an endpoint, with the same API key and additions
// as the other client.
func (c *Connection) newClaude(at Endpoint, e extras, like openai.Config, source login.Source) *anthropic.Client {
	base := at.BaseURL
	if at.ClaudeURL != "" {
		base = at.ClaudeURL
	}
	config := anthropic.Config{
		Endpoint: endpoint.Config{
			BaseURL: base, Key: like.Key, KeyHelp: like.KeyHelp, UserAgent: like.UserAgent, Headers: like.Headers, ExtraBody: like.ExtraBody,
			Sign: func(transport http.RoundTripper, used func(llm.Key)) http.RoundTripper {
				transport = reachlog.NewTransport(transport, c.reach)
				if source == nil {
					return transport
				}
				return login.Sign(transport, base, source, func(key llm.Key) { used(key); c.hideToken(key) })
			},
		},
		Bearer:  at.ClaudeURL != "",
		Vertex:  at.ClaudeURL != "" && at.Provider == "vertex",
		Limits:  c.limitsOf,
		Lessons: c.claudes.of(hostOf(base)),
	}
	if e.display != "auto" {
		config.ThinkingDisplay = e.display
	}
	return anthropic.NewClient(config)
}

// limitsOf returns the output limit and the context window of a model in tokens, or 0 for unknown
// numbers.
func (c *Connection) limitsOf(model string) (output, window int) {
	m, found := catalogue.Lookup("anthropic", model)
	if found && vendor.BaseName(m.ID) == vendor.BaseName(model) {
		output = m.MaxOutput
	}
	if set, is := settings.ContextLimit.Get(c.config.Settings); is {
		return output, set
	}
	window, _ = c.ContextLimit(model)
	return output, window
}

// speaksMessages reports whether requests to a model at the endpoint in use are sent over the Messages
// API.
func (c *Connection) speaksMessages(model string) bool {
	p, err := c.inUse()
	return err == nil && p.speaksMessages(model)
}

// speaksMessages reports whether requests to a model are sent over the Messages API. This is so if the
// setting api or the vendor requires it, or if an unknown endpoint has listed its models in that form.
// The vendor is found by the host or the setting provider.
func (p *peer) speaksMessages(model string) bool {
	switch {
	case p.extras.api != "" && p.extras.api != openai.APIAuto:
		return p.extras.api == apiMessages
	case vendor.At(p.endpoint.Host(), model).Messages, p.endpoint.Vendor().Messages():
		return true
	case p.endpoint.ClaudeURL != "":
		family, _ := vendor.Guess("", model)
		return family.Name == "claude"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.foundMessages
}

// Stream implements llm.Provider. The wire format depends on the model.
func (p *peer) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	if p.speaksMessages(req.Model) {
		return p.claude.Stream(ctx, req)
	}
	return p.client.Stream(ctx, req)
}

func (p *peer) close() {
	p.client.Close()
	p.claude.Close()
}

// list requests the models of the endpoint. If an unknown endpoint does not list them in the form of
// OpenAI, list requests the form of Anthropic.
func (p *peer) list(ctx context.Context) ([]ModelOffer, error) {
	if p.speaksMessages("") {
		return p.listClaude(ctx)
	}
	found, err := offers(ctx, p.client)
	failure, is := errors.AsType[*llm.Error](err)
	unknown := p.extras.api == openai.APIAuto && p.endpoint.Vendor().Name == "" && !isLoopback(p.endpoint.Host())
	if !is || !unknown || !slices.Contains([]llm.ErrorKind{llm.Auth, llm.NotAnAPI, llm.BadRequest}, failure.Kind) {
		return found, err
	}
	other, failed := p.listClaude(ctx)
	if failed != nil {
		return nil, err
	}
	p.mu.Lock()
	p.foundMessages = true
	p.mu.Unlock()
	return other, nil
}

func (p *peer) listClaude(ctx context.Context) ([]ModelOffer, error) {
	models, err := p.claude.ListModels(ctx)
	if err != nil {
		return nil, err
	}
	found, gateway := make([]ModelOffer, len(models)), len(models) > 0
	for i, m := range models {
		found[i] = ModelOffer{ID: m.ID, ContextLimit: m.ContextLimit}
		gateway = gateway && m.Created == createdLiteLLM
	}
	if gateway {
		askLiteLLM(ctx, p.client, found)
	}
	return found, nil
}

// keyLimits returns the rate limits of the API key in use, from the latest reply of the Messages API.
func (c *Connection) keyLimits() (windows []login.LimitWindow) {
	p, err := c.inUse()
	if err != nil {
		return nil
	}
	for _, l := range p.claude.Limits() {
		const percent = 100
		windows = append(windows, login.LimitWindow{Name: l.Name, Used: percent * max(0, 1-l.Left/l.Most), Of: l.Most, Resets: l.Resets})
	}
	return windows
}
