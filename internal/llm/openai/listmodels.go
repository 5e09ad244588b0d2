package openai

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/lenientjson"
	"agent/internal/llm/vendor"
)

// ModelInfo contains the facts that an endpoint lists about a model.
type ModelInfo struct {
	ID string
	// OwnedBy is the owner, which identifies local servers.
	OwnedBy string
	// Created is the creation time of the model in Unix seconds, as the endpoint reports it.
	Created int64
	// ContextLimit is the context window in tokens, or 0 if it is not listed.
	ContextLimit int
	// Multiplier is the number of requests of a subscription that one request to the model counts as,
	// or 0 if it is not listed.
	Multiplier float64
	// Prices are the prices of a token in USD. Unlisted prices are 0.
	Prices TokenPrices
}

// TokenPrices are the prices of a single token in USD.
type TokenPrices struct{ Input, Output, CacheRead, CacheWrite float64 }

// modelEntry is the library's entry of /v1/models with the members in which servers report the context
// window.
type modelEntry struct {
	openai.Model
	// MaxModelLen is set by vLLM, ContextLength by OpenRouter and others.
	MaxModelLen   lenientjson.Int `json:"max_model_len"`
	ContextLength lenientjson.Int `json:"context_length"`
	// Slug is the id, and ContextWindow the context window, at ChatGPT. Capabilities and Billing are
	// set by GitHub Copilot.
	Slug          string          `json:"slug"`
	ContextWindow lenientjson.Int `json:"context_window"`
	Capabilities  struct {
		Limits struct {
			Window lenientjson.Int `json:"max_context_window_tokens"`
		} `json:"limits"`
	} `json:"capabilities"`
	Billing struct {
		Multiplier float64 `json:"multiplier"`
	} `json:"billing"`
	// Pricing is set by OpenRouter and others.
	Pricing struct {
		Input      Price `json:"prompt"`
		Output     Price `json:"completion"`
		CacheRead  Price `json:"input_cache_read"`
		CacheWrite Price `json:"input_cache_write"`
	} `json:"pricing"`
	// Meta is set by llama.cpp. It contains the context window for which the model was trained.
	Meta struct {
		TrainedContext lenientjson.Int `json:"n_ctx_train"`
	} `json:"meta"`
}

// Price is a number, or a number in a string.
type Price float64

// UnmarshalJSON implements json.Unmarshaler. It reads a value that is not a number as 0.
func (p *Price) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil {
		n = 0
	}
	*p = Price(n)
	return nil
}

// ListModels requests the models of the endpoint and their context windows. It omits entries with an
// invalid id. The error is an *Error unless ctx has ended.
func (c *Client) ListModels(ctx context.Context) ([]ModelInfo, error) {
	entries, err := c.modelEntries(ctx)
	if err != nil {
		return nil, llm.RedactError(err, c.at.Keys())
	}
	models := []ModelInfo{}
	for _, e := range entries {
		id := cmp.Or(e.ID, e.Slug)
		if !c.at.IsModelID(id) {
			continue
		}
		window := max(e.MaxModelLen.NonNegative(), e.ContextLength.NonNegative(), e.Meta.TrainedContext.NonNegative(), e.ContextWindow.NonNegative(), e.Capabilities.Limits.Window.NonNegative())
		models = append(models, ModelInfo{ID: id, OwnedBy: e.OwnedBy, Created: e.CreatedAt, ContextLimit: window, Multiplier: max(0, e.Billing.Multiplier), Prices: TokenPrices{
			Input: float64(e.Pricing.Input), Output: float64(e.Pricing.Output), CacheRead: float64(e.Pricing.CacheRead), CacheWrite: float64(e.Pricing.CacheWrite),
		}})
	}
	return models, nil
}

// Ask sends a request to a path next to /v1 and decodes the JSON of the answer.
func (c *Client) Ask(ctx context.Context, method, path, question string, answer any) error {
	return c.at.Ask(ctx, method, path, question, answer)
}

func (c *Client) modelEntries(ctx context.Context) ([]modelEntry, error) {
	body, err := c.at.Get(ctx, endpoint.ModelsPath, nil)
	if err != nil {
		return nil, err
	}
	list := lenientjson.Decode[struct {
		Data   []modelEntry `json:"data"`
		Models []modelEntry `json:"models"`
	}](body)
	switch {
	case list.Data != nil:
		return list.Data, nil
	case list.Models != nil && vendor.At(c.at.Host(), "").Instructions:
		return list.Models, nil
	}
	return nil, c.at.NewError(llm.NotAnAPI, "", "/models returned no list of models")
}
