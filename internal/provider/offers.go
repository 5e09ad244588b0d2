package provider

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"strings"
	"time"

	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// probeTimeout limits the requests for context windows. The answers are only worth a short wait.
const probeTimeout = 3 * time.Second

// ModelOffer is a model that an endpoint offers.
type ModelOffer struct {
	ID string
	// ContextLimit is the context window in tokens, or 0 if the endpoint does not report it.
	ContextLimit int
	// Assumed means that ContextLimit is only the smallest default of such a server.
	Assumed bool
	// Multiplier is the number of requests of a subscription that one request counts as, or 0 if
	// unknown.
	Multiplier float64
	// Prices are the prices that the endpoint reports, or nil.
	Prices *settings.Prices
}

// SameModel reports whether two names mean the same model. A name without a tag has the tag latest.
func SameModel(a, b string) bool {
	return a == b || strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// offers requests the models of an endpoint and their context windows. It also requests the actual
// context windows from servers with separate paths for them (llama.cpp, LM Studio, Ollama), which may
// be smaller than the model's. LiteLLM reports its prices on such a path. If such a request fails,
// offers returns the listed values.
func offers(ctx context.Context, client *openai.Client) ([]ModelOffer, error) {
	models, err := client.ListModels(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]ModelOffer, len(models))
	for i, m := range models {
		found[i] = ModelOffer{ID: m.ID, ContextLimit: m.ContextLimit, Multiplier: m.Multiplier, Prices: pricesOf(m.Prices)}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	switch serverOf(models) {
	case vendor.LlamaCpp:
		askLlamaCpp(ctx, client, found)
	case vendor.LMStudio:
		askLMStudio(ctx, client, found)
	case vendor.Ollama:
		askOllama(ctx, client, found)
	case vendor.LiteLLM:
		askLiteLLM(ctx, client, found)
	}
	return found, nil
}

const million = 1e6

// pricesOf returns the listed prices of a model, or nil if they are unknown or implausible. Lists
// contain no steps.
func pricesOf(p openai.TokenPrices) *settings.Prices {
	for _, price := range []float64{p.Input, p.Output, p.CacheRead, p.CacheWrite} {
		if !(price >= 0 && price < 1) {
			return nil
		}
	}
	if p.Input == 0 || p.Output == 0 || p.CacheRead > p.Input {
		return nil
	}
	const digits = 1e9 // removes the rounding errors of the conversion
	of := func(token float64) float64 { return math.Round(million*token*digits) / digits }
	return &settings.Prices{Input: of(p.Input), Output: of(p.Output), CacheRead: of(cmp.Or(p.CacheRead, p.Input)), CacheWrite: of(max(p.CacheWrite, p.Input))}
}

// askLlamaCpp sets the context window of all models to the server's, because the server runs one model.
func askLlamaCpp(ctx context.Context, client *openai.Client, found []ModelOffer) {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if client.Ask(ctx, http.MethodGet, "/props", "", &props) != nil || props.Settings.Context <= 0 {
		return
	}
	for i := range found {
		found[i].ContextLimit = props.Settings.Context
	}
}

// askLMStudio sets the context windows of the models: the actual one of a loaded model, or otherwise
// the model's largest.
func askLMStudio(ctx context.Context, client *openai.Client, found []ModelOffer) {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Most   int    `json:"max_context_length"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if client.Ask(ctx, http.MethodGet, "/api/v0/models", "", &list) != nil {
		return
	}
	for _, m := range list.Data {
		window := cmp.Or(max(m.Loaded, 0), m.Most)
		for i := range found {
			if found[i].ID == m.ID && window > 0 {
				found[i].ContextLimit = window
			}
		}
	}
}
