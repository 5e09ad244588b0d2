package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/settings"
)

// peer is one endpoint in use.
type peer struct {
	endpoint Endpoint
	// baseURL and keyFile are the settings it follows from.
	baseURL, keyFile string
	client           *llm.Client
	// asked is closed when the endpoint has told its models, or failed to.
	asked chan struct{}
	// models are what it offers and windows the context limits it reported, by
	// model; read after asked.
	models  []string
	windows map[string]int
}

// learnTimeout bounds what a request waits for an endpoint to tell its models.
const learnTimeout = 3 * time.Second

// learn asks an endpoint about its models, and takes its only one when none is
// set. A server that cannot tell is no reason to stop: the first request will say
// what is wrong.
func (c *Connection) learn(p *peer) {
	ctx, cancel := context.WithTimeout(context.Background(), learnTimeout)
	defer cancel()
	models, err := listModels(ctx, p.client)
	if err == nil {
		p.windows = make(map[string]int, len(models))
		for _, m := range models {
			p.models = append(p.models, m.ID)
			if m.ContextLimit > 0 {
				p.windows[m.ID] = m.ContextLimit
			}
		}
		s := c.config.Settings
		if len(models) == 1 && settings.Model.Of(s) == "" && c.isCurrent(p) {
			_ = s.Set(settings.Found, settings.Model.Key(), models[0].ID) // an id no setting takes stays unset
		}
	}
	close(p.asked)
	c.mu.Lock()
	learned := c.learned
	c.mu.Unlock()
	learned()
}

// noModel says that the user must choose, and from what.
func (p *peer) noModel() error {
	const shown = 8
	const choose = "choose one with -m MODEL or /model MODEL"
	if len(p.models) == 0 {
		return errors.New("no model is set; " + choose)
	}
	offer := strings.Join(p.models[:min(shown, len(p.models))], ", ")
	if more := len(p.models) - shown; more > 0 {
		offer += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("no model is set, and the endpoint offers %s; %s", offer, choose)
}
