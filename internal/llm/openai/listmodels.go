package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/loose"
	"agent/internal/llm/refusal"
	"agent/internal/llm/vendor"
	"agent/internal/words"
)

// probeTimeout bounds every question about models. The answers are worth only a short wait.
const probeTimeout = 3 * time.Second

// modelsPath is the path of the list of models.
const modelsPath = "/models"

// maxModelsBody bounds a list of models, in bytes. Routers list hundreds with descriptions.
const maxModelsBody = 16 << 20

// ModelInfo holds the facts that an endpoint lists about a model.
type ModelInfo struct {
	ID string
	// OwnedBy is the owner. Local servers are recognised by it.
	OwnedBy string
	// ContextLimit is the window in tokens, 0 if the endpoint does not list it.
	ContextLimit int
	// Multiplier is how many requests of a subscription one request to the model counts as, 0 if
	// the endpoint does not list it.
	Multiplier float64
}

// modelEntry is the library's entry of /v1/models with the members in which servers report the
// window.
type modelEntry struct {
	openai.Model
	// MaxModelLen is set by vLLM, ContextLength by OpenRouter and others.
	MaxModelLen   loose.Int `json:"max_model_len"`
	ContextLength loose.Int `json:"context_length"`
	// Slug is the id and ContextWindow the window at ChatGPT; Capabilities and Billing are set by
	// GitHub Copilot.
	Slug          string    `json:"slug"`
	ContextWindow loose.Int `json:"context_window"`
	Capabilities  struct {
		Limits struct {
			Window loose.Int `json:"max_context_window_tokens"`
		} `json:"limits"`
	} `json:"capabilities"`
	Billing struct {
		Multiplier float64 `json:"multiplier"`
	} `json:"billing"`
	// Meta is set by llama.cpp. It has the window that the model was trained for.
	Meta struct {
		TrainedContext loose.Int `json:"n_ctx_train"`
	} `json:"meta"`
}

// ListModels asks the endpoint for its models and their windows. It leaves out entries whose id no
// model can have. The error is an *Error unless ctx
// has ended.
func (c *Client) ListModels(ctx context.Context) ([]ModelInfo, error) {
	entries, err := c.modelEntries(ctx)
	if err != nil {
		return nil, llm.RedactError(err, c.keys)
	}
	models := []ModelInfo{}
	for _, e := range entries {
		id := cmp.Or(e.ID, e.Slug)
		if !c.isModelID(id) {
			continue
		}
		window := max(e.MaxModelLen.Count(), e.ContextLength.Count(), e.Meta.TrainedContext.Count(), e.ContextWindow.Count(), e.Capabilities.Limits.Window.Count())
		models = append(models, ModelInfo{ID: id, OwnedBy: e.OwnedBy, ContextLimit: window, Multiplier: max(0, e.Billing.Multiplier)})
	}
	return models, nil
}

// longestModelID bounds the id of a model in bytes. The longest known ones are names of files.
const longestModelID = 512

// isModelID reports whether a model can have an id. An id is shown by terminals and editors,
// written to the record and sent back, so a text that is not one visible line, or that repeats a
// key, is none.
func (c *Client) isModelID(id string) bool {
	return id != "" && len(id) <= longestModelID && words.Visible(id) == id && !strings.ContainsAny(id, "\n\t") && c.keys.Hide(id) == id
}

// Ask sends a question to a path beside /v1 and decodes the JSON of the answer. There local servers
// report facts that are not part of the API.
func (c *Client) Ask(ctx context.Context, method, path, question string, answer any) error {
	beside := &Client{config: c.config, http: c.http}
	base, query, _ := strings.Cut(c.config.BaseURL, "?")
	beside.config.BaseURL = strings.TrimSuffix(base, "/v1") + "?" + query
	response, body, err := beside.fetch(ctx, method, path, question)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %d", path, response.StatusCode)
	}
	return json.Unmarshal(body, answer)
}

func (c *Client) modelEntries(ctx context.Context) ([]modelEntry, error) {
	timed, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	response, body, err := c.fetch(timed, http.MethodGet, modelsPath, "")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		return nil, c.fail(llm.Unavailable, "", fmt.Sprintf("did not list its models within %s", probeTimeout))
	case err != nil:
		return nil, c.connectionFailure(err, "")
	case response.StatusCode != http.StatusOK:
		p := refusal.Parse(body[:min(len(body), maxErrorBody)])
		p.Status, p.Header = response.StatusCode, response.Header
		return nil, c.problemError(p, "")
	}
	list := loose.Decode[struct {
		Data   []modelEntry `json:"data"`
		Models []modelEntry `json:"models"`
	}](body)
	switch {
	case list.Data != nil:
		return list.Data, nil
	case list.Models != nil && vendor.At(c.host(), "").Instructions:
		return list.Models, nil
	}
	return nil, c.fail(llm.NotAnAPI, "", "/models is not a list of models")
}

func (c *Client) fetch(ctx context.Context, method, path, question string) (response *http.Response, body []byte, err error) {
	request, err := c.newRequest(ctx, method, path, strings.NewReader(question))
	if err != nil {
		return nil, nil, err
	}
	response, err = c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxModelsBody))
	return response, body, err
}
