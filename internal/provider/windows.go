package provider

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
)

// probeTimeout bounds the questions about windows; the answers are worth a short
// wait only.
const probeTimeout = 3 * time.Second

// Offer is a model that an endpoint offers.
type Offer struct {
	ID string
	// ContextLimit is the window in tokens, 0 when the endpoint does not say. Assumed
	// means that it is the least that such a server may give.
	ContextLimit int
	Assumed      bool
}

// SameModel reports whether two names mean one model: a name without a tag means the
// tag latest.
func SameModel(a, b string) bool {
	return a == b || strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// offers asks an endpoint for its models and their windows. Servers that do not say
// windows there but on paths of their own (llama.cpp, LM Studio, Ollama) are asked
// again; what they do not answer stays unknown.
func offers(ctx context.Context, client *openai.Client) ([]Offer, error) {
	models, err := client.ListModels(ctx)
	if err != nil {
		return nil, err
	}
	windows := probeWindows(ctx, client, models)
	found := make([]Offer, len(models))
	for i, m := range models {
		found[i] = Offer{ID: m.ID, ContextLimit: m.ContextLimit}
		if w, ok := windows[m.ID]; ok && w.ContextLimit > 0 {
			found[i].ContextLimit, found[i].Assumed = w.ContextLimit, w.Assumed
		}
	}
	return found, nil
}

// probeWindows asks a local server on its own paths for the windows it really
// runs its models with, which may be smaller than what the models can do.
func probeWindows(ctx context.Context, client *openai.Client, models []openai.ModelInfo) map[string]Offer {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	switch serverOf(models) {
	case vendor.LlamaCpp:
		return llamaCppWindow(ctx, client, models)
	case vendor.LMStudio:
		return lmStudioWindows(ctx, client)
	case vendor.Ollama:
		return ollamaWindows(ctx, client, models)
	default:
		return nil
	}
}

func llamaCppWindow(ctx context.Context, client *openai.Client, models []openai.ModelInfo) map[string]Offer {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if client.Ask(ctx, http.MethodGet, "/props", "", &props) != nil {
		return nil
	}
	windows := map[string]Offer{}
	for _, m := range models {
		windows[m.ID] = Offer{ContextLimit: props.Settings.Context}
	}
	return windows
}

func lmStudioWindows(ctx context.Context, client *openai.Client) map[string]Offer {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Most   int    `json:"max_context_length"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if client.Ask(ctx, http.MethodGet, "/api/v0/models", "", &list) != nil {
		return nil
	}
	windows := map[string]Offer{}
	for _, m := range list.Data {
		windows[m.ID] = Offer{ContextLimit: cmp.Or(max(0, m.Loaded), m.Most)}
	}
	return windows
}
