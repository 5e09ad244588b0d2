package provider

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"agent/internal/base/lazyregexp"
	"agent/internal/base/rawjson"
	"agent/internal/llm/openai"
)

// ollamaLeast is Ollama's default context window in tokens when memory is scarce. Ollama silently
// truncates longer prompts.
const ollamaLeast = 4096

// assumedNote returns the notice that the size of the context window is assumed, and how to set a
// larger one.
func assumedNote(model string) string {
	return fmt.Sprintf("Until Ollama has loaded %s, agent assumes a context window of %d tokens. For a larger one, run: OLLAMA_CONTEXT_LENGTH=32768 ollama serve", model, ollamaLeast)
}

const (
	// loadTimeout limits the time that Ollama may take to load a model.
	loadTimeout = 2 * time.Minute
	// keptLoaded is the time for which the model stays loaded between requests.
	keptLoaded = "30m"
)

// loadOllama makes Ollama load a model, so that its context window is known and the first request does
// not wait for loading.
func loadOllama(client *openai.Client, model string) error {
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	question, err := rawjson.Marshal(map[string]string{"model": model, "keep_alive": keptLoaded})
	if err != nil {
		return err
	}
	var answer struct{}
	return client.Ask(ctx, http.MethodPost, "/api/generate", string(question), &answer)
}

// askOllama sets the context windows with which Ollama actually runs its models: that of a loaded
// model, or the configured one, or otherwise Ollama's smallest default. The context window for which a
// model was trained is only an upper limit.
func askOllama(ctx context.Context, client *openai.Client, found []ModelOffer) {
	const atOnce = 4
	var group errgroup.Group
	group.SetLimit(atOnce)
	set, trained := make([]int, len(found)), make([]int, len(found))
	for i, m := range found {
		group.Go(func() error {
			set[i], trained[i] = ollamaModel(ctx, client, m.ID)
			return nil
		})
	}
	loaded := ollamaLoaded(ctx, client)
	_ = group.Wait() // no function returns an error
	for i := range found {
		running := loaded[strings.TrimSuffix(found[i].ID, ":latest")]
		switch {
		case running > 0:
			found[i].ContextLimit = running
		case set[i] > 0:
			found[i].ContextLimit = set[i]
		case trained[i] > 0 && trained[i] <= ollamaLeast:
			found[i].ContextLimit = trained[i]
		default:
			found[i].ContextLimit, found[i].Assumed = ollamaLeast, true
		}
	}
}

// ollamaLoaded returns the context windows of the loaded models by their names, without the tag latest.
func ollamaLoaded(ctx context.Context, client *openai.Client) map[string]int {
	var ps struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if client.Ask(ctx, http.MethodGet, "/api/ps", "", &ps) != nil {
		return nil
	}
	loaded := map[string]int{}
	for _, m := range ps.Models {
		loaded[strings.TrimSuffix(m.Name, ":latest")] = m.Context
	}
	return loaded
}

// numCtx matches the context window in the parameters of a model.
var numCtx = lazyregexp.New(`(?m)^num_ctx\s+(\d+)`)

// ollamaModel returns the context window that is set for a model, and the one for which it was trained.
// Each is 0 if Ollama does not report it.
func ollamaModel(ctx context.Context, client *openai.Client, model string) (set, trained int) {
	var show struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	question, err := rawjson.Marshal(map[string]string{"model": model})
	if err != nil || client.Ask(ctx, http.MethodPost, "/api/show", string(question), &show) != nil {
		return 0, 0
	}
	if found := numCtx.FindStringSubmatch(show.Parameters); found != nil {
		set, _ = strconv.Atoi(found[1])
	}
	for key, value := range show.Info {
		// The key begins with the model's architecture.
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			trained = int(n)
		}
	}
	return set, trained
}
