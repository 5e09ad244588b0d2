package provider

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/rawjson"
)

// probeTimeout bounds the questions about windows; the answers are worth a short
// wait only.
const probeTimeout = 3 * time.Second

// listModels asks an endpoint for its models and their windows. Servers that do not
// tell windows there but on paths of their own (llama.cpp, LM Studio, Ollama) are
// asked again; what they do not answer stays unknown.
func listModels(ctx context.Context, client *llm.Client) ([]llm.ModelInfo, error) {
	models, err := client.ListModels(ctx)
	if err != nil {
		return nil, err
	}
	windows := probeWindows(ctx, client, models)
	for i := range models {
		models[i].ContextLimit = cmp.Or(windows[models[i].ID], models[i].ContextLimit)
	}
	return models, nil
}

// probeWindows asks a local server on its own paths for the windows it really
// runs its models with, which may be smaller than what the models can do.
func probeWindows(ctx context.Context, client *llm.Client, models []llm.ModelInfo) map[string]int {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	switch serverOf(models) {
	case llamaCpp:
		return llamaCppWindow(ctx, client, models)
	case lmStudio:
		return lmStudioWindows(ctx, client)
	case ollama:
		return ollamaWindows(ctx, client, models)
	default:
		return nil
	}
}

func llamaCppWindow(ctx context.Context, client *llm.Client, models []llm.ModelInfo) map[string]int {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if client.Ask(ctx, http.MethodGet, "/props", "", &props) != nil {
		return nil
	}
	windows := map[string]int{}
	for _, m := range models {
		windows[m.ID] = props.Settings.Context
	}
	return windows
}

func lmStudioWindows(ctx context.Context, client *llm.Client) map[string]int {
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
	windows := map[string]int{}
	for _, e := range list.Data {
		windows[e.ID] = cmp.Or(max(0, e.Loaded), e.Most)
	}
	return windows
}

// ollamaWindows asks for every model at once: Ollama knows windows by model only.
func ollamaWindows(ctx context.Context, client *llm.Client, models []llm.ModelInfo) map[string]int {
	const atOnce = 4
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		tickets = make(chan struct{}, atOnce)
		windows = map[string]int{}
	)
	for _, m := range models {
		wg.Go(func() {
			tickets <- struct{}{}
			defer func() { <-tickets }()
			window := ollamaWindow(ctx, client, m.ID)
			mu.Lock()
			defer mu.Unlock()
			windows[m.ID] = window
		})
	}
	wg.Wait()
	return windows
}

// numCtx is the window set for a model in Ollama's list of parameters.
var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+(\d+)`)

func ollamaWindow(ctx context.Context, client *llm.Client, model string) int {
	var show struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	question, err := rawjson.Marshal(map[string]string{"model": model})
	if err != nil || client.Ask(ctx, http.MethodPost, "/api/show", string(question), &show) != nil {
		return 0
	}
	if set := numCtx.FindStringSubmatch(show.Parameters); set != nil {
		if n, err := strconv.Atoi(set[1]); err == nil {
			return n
		}
	}
	for key, value := range show.Info {
		// The key begins with the model's architecture.
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}
