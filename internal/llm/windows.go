package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// probeWindows asks a local server on its own paths for the windows it really
// runs its models with, which may be smaller than what the models can do.
func (c *Client) probeWindows(ctx context.Context, entries []modelEntry) map[string]int {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	switch serverOf(entries) {
	case llamaCpp:
		return c.llamaCppWindow(ctx, entries)
	case lmStudio:
		return c.lmStudioWindows(ctx)
	case ollama:
		return c.ollamaWindows(ctx, entries)
	default:
		return nil
	}
}

func (c *Client) llamaCppWindow(ctx context.Context, entries []modelEntry) map[string]int {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if c.probe(ctx, http.MethodGet, "/props", "", &props) != nil {
		return nil
	}
	windows := map[string]int{}
	for _, e := range entries {
		windows[e.ID] = props.Settings.Context
	}
	return windows
}

func (c *Client) lmStudioWindows(ctx context.Context) map[string]int {
	var list struct {
		Data []modelEntry `json:"data"`
	}
	if c.probe(ctx, http.MethodGet, "/api/v0/models", "", &list) != nil {
		return nil
	}
	windows := map[string]int{}
	for _, e := range list.Data {
		windows[e.ID] = e.MaxContextLength
		if e.LoadedContextLength > 0 {
			windows[e.ID] = e.LoadedContextLength
		}
	}
	return windows
}

// ollamaWindows asks for every model at once: Ollama knows windows by model only.
func (c *Client) ollamaWindows(ctx context.Context, entries []modelEntry) map[string]int {
	const atOnce = 4
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		tickets = make(chan struct{}, atOnce)
		windows = map[string]int{}
	)
	for _, e := range entries {
		wg.Go(func() {
			tickets <- struct{}{}
			defer func() { <-tickets }()
			window := c.ollamaWindow(ctx, e.ID)
			mu.Lock()
			defer mu.Unlock()
			windows[e.ID] = window
		})
	}
	wg.Wait()
	return windows
}

// numCtx is the window set for a model in Ollama's list of parameters.
var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+(\d+)`)

func (c *Client) ollamaWindow(ctx context.Context, model string) int {
	var show struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	question := string(appendJSON([]byte(`{"model":`), model)) + "}"
	if c.probe(ctx, http.MethodPost, "/api/show", question, &show) != nil {
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

// probe asks the server beside its /v1.
func (c *Client) probe(ctx context.Context, method, path, question string, into any) error {
	status, body, err := c.fetch(ctx, method, strings.TrimSuffix(c.config.BaseURL, "/v1")+path, question)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s answered %d", path, status)
	}
	return json.Unmarshal(body, into)
}
