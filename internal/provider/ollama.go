package provider

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"agent/internal/llm/openai"
	"agent/internal/pattern"
	"agent/internal/rawjson"
)

// ollamaLeast is the window that Ollama gives a model when nobody says more and
// memory is scarce. What does not fit it cuts off without a word.
const ollamaLeast = 4096

// assumedNote says that a window is not known, and how to get a larger one.
func assumedNote(model string) string {
	return fmt.Sprintf("Ollama says how large the window of %s is once it is loaded; until then %d tokens are assumed. OLLAMA_CONTEXT_LENGTH=32768 ollama serve makes it larger.", model, ollamaLeast)
}

// Loading a model takes its time; then it stays for as long as people think before
// they type.
const (
	loadTimeout = 2 * time.Minute
	keptLoaded  = "30m"
)

// loadOllama has Ollama load a model before the first request: that need not wait for
// it then, and the window is known.
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

// ollamaWindows are the windows that Ollama really runs its models with: what is set
// for a model, else that of one that is loaded, else the least there is. What the
// model was trained for is no answer, only a bound.
func ollamaWindows(ctx context.Context, client *openai.Client, models []openai.ModelInfo) map[string]Offer {
	const atOnce = 4
	var group errgroup.Group
	group.SetLimit(atOnce)
	asked := make([]ollamaWindow, len(models))
	for i, m := range models {
		group.Go(func() error {
			asked[i] = ollamaModel(ctx, client, m.ID)
			return nil
		})
	}
	loaded := ollamaLoaded(ctx, client)
	_ = group.Wait() // none of them fails
	windows := map[string]Offer{}
	for i, w := range asked {
		id := models[i].ID
		running := loaded[strings.TrimSuffix(id, ":latest")]
		switch {
		case running > 0:
			windows[id] = Offer{ContextLimit: running}
		case w.set > 0:
			windows[id] = Offer{ContextLimit: w.set}
		case w.trained > 0 && w.trained <= ollamaLeast:
			windows[id] = Offer{ContextLimit: w.trained}
		default:
			windows[id] = Offer{ContextLimit: ollamaLeast, Assumed: true}
		}
	}
	return windows
}

// ollamaWindow is what Ollama says of a model's window: what is set for it and what
// it was trained for, each 0 when it does not say.
type ollamaWindow struct{ set, trained int }

// ollamaLoaded are the windows of the models that are loaded, by name without the tag
// latest.
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

// numCtx is the window set for a model in Ollama's list of parameters.
var numCtx = pattern.New(`(?m)^num_ctx\s+(\d+)`)

func ollamaModel(ctx context.Context, client *openai.Client, model string) (w ollamaWindow) {
	var show struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	question, err := rawjson.Marshal(map[string]string{"model": model})
	if err != nil || client.Ask(ctx, http.MethodPost, "/api/show", string(question), &show) != nil {
		return w
	}
	if found := numCtx.FindStringSubmatch(show.Parameters); found != nil {
		w.set, _ = strconv.Atoi(found[1])
	}
	for key, value := range show.Info {
		// The key begins with the model's architecture.
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			w.trained = int(n)
		}
	}
	return w
}
