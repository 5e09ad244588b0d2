package command

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"agent/internal/settings"
)

// modelsTimeout bounds how long an endpoint may take to list its models.
const modelsTimeout = 5 * time.Second

// modelList remembers what the endpoint in use offers, so that completion never
// waits for the network.
type modelList struct {
	ctx      context.Context
	ask      func(ctx context.Context) ([]Model, error)
	endpoint func() string

	mu sync.Mutex
	// models are those of the endpoint asked last; asked is false before that.
	asked  bool
	of     string
	models []Model
}

func newModelList(ctx context.Context, deps Deps) *modelList {
	return &modelList{ctx: ctx, ask: deps.Models, endpoint: func() string { return settings.BaseURL.Of(deps.Settings) }}
}

// known returns what is known of the endpoint in use, and asks it in the
// background when nobody has.
func (l *modelList) known() []Model {
	l.mu.Lock()
	defer l.mu.Unlock()
	endpoint := l.endpoint()
	if l.asked && l.of == endpoint {
		return slices.Clone(l.models)
	}
	l.asked, l.of, l.models = true, endpoint, nil
	go func() {
		// Nobody waits for this list; /model shows why there is none.
		_, _ = l.fetch(l.ctx)
	}()
	return nil
}

// fetch asks the endpoint in use.
func (l *modelList) fetch(ctx context.Context) ([]Model, error) {
	if l.ask == nil {
		return nil, errors.New("there is no endpoint to ask")
	}
	ctx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	endpoint := l.endpoint()
	models, err := l.ask(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked, l.of, l.models = true, endpoint, models
	return slices.Clone(models), nil
}
