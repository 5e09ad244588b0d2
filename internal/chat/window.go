package chat

import (
	"bytes"
	"cmp"
	"io"
	"time"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// models describes the models of the endpoint for the window.
type models struct{ config *Config }

// Counter returns the token counter for a model.
func (m models) Counter(model string) history.Counter { return m.config.Counter(model) }

// Limit returns the known size of a model's window.
func (m models) Limit(model string) (tokens int, known bool) {
	return m.config.Endpoint.ContextLimit(model)
}

// Price returns the prices of a model's input relative to an uncached token. They come from the
// settings, or otherwise from published prices. A server on this machine costs computing time instead
// of money. For an unknown model, Price assumes a safe ratio.
func (m models) Price(model string) compression.Price {
	prices, ok := settings.InputPricesOf(m.config.Settings, m.config.Endpoint.Prices(model))
	switch {
	case ok && prices.Input > 0:
		price := compression.NewPrice(prices.Input, prices.CacheRead, prices.CacheWrite)
		if prices.Outdated {
			price = compression.SafePrice
		}
		if len(prices.Steps) > 0 {
			s := prices.Steps[0]
			price.Step = compression.NewPriceStep(s.Above, prices.Input, s.Input, s.CacheRead, s.CacheWrite)
		}
		return price
	case m.config.Endpoint.IsLocal():
		return compression.LocalPrice
	default:
		return compression.SafePrice
	}
}

// Cache describes the cache of a model's provider.
func (m models) Cache(model string) vendor.Cache {
	return cacheOf(m.config.Settings, m.config.Endpoint.Cache(model))
}

// SaveCacheTTL saves the observed cache lifetime of a model's provider for later sessions. It saves nothing
// if the settings determine the lifetime, because the observed lifetime is then not the provider's
// default.
func (m models) SaveCacheTTL(model string, life time.Duration) {
	if known := m.config.Endpoint.Cache(model); cacheOf(m.config.Settings, known).Life == known.Life {
		m.config.Endpoint.SaveCacheTTL(model, life)
	}
}

// MayTruncate reports whether the endpoint may truncate prompts without an error.
func (m models) MayTruncate() bool { return m.config.Endpoint.MayTruncate() }

// HeadKey returns the model and the endpoint for which the system prompt and the tools are built.
func (m models) HeadKey() string {
	if m.config.HeadKey == nil {
		return ""
	}
	return m.config.HeadKey()
}

// NewHeadMaker returns a function that builds the system prompt and the tool list of every request. The list
// contains the tools for the edit format form. It is the full list or a reduced one, and only the
// essential tools if lean is set.
func NewHeadMaker(registry *tools.Registry, form toolspec.EditFormat, all bool, system SystemPrompt) window.HeadMaker {
	return func(lean bool, fits func(window.Head) bool) window.Head {
		offered := registry.ToolsForFormat(form)
		switch {
		case lean:
			offered = tools.EssentialTools(offered)
		case !all:
			offered = tools.CommonTools(offered)
		}
		head := window.Head{Tools: make([]llm.ToolSpec, len(offered))}
		names := make([]string, len(offered))
		for i, t := range offered {
			names[i] = t.Name
			head.Tools[i] = llm.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Parameters(), Free: (*llm.FreeForm)(t.Free), Searches: t.Server, Blocked: t.Blocked}
		}
		head.System, head.Cut = system(lean, names, func(prompt string) bool {
			return fits(window.Head{System: prompt, Tools: head.Tools})
		})
		return head
	}
}

// windowRoot returns the base folder of relative paths in the calls of the history.
func (c *Config) windowRoot() string { return cmp.Or(c.SessionRoot, c.Root) }

// maxCurrentFile limits the size of a file that the window looks at, in bytes.
const maxCurrentFile = 1 << 20

// files returns the function with which the window reads files on disk, or nil without a workspace.
func (c *Config) files() func(path string) string {
	if c.Env == nil || c.Env.Workspace == nil {
		return nil
	}
	return c.current
}

// current returns the text of a workspace file on disk. It returns "" if the file cannot be read, is
// not plain text or is too long. The caller compares the text with the version in the conversation.
func (c *Config) current(path string) string {
	abs, err := c.Env.Workspace.Resolve(path)
	if err != nil {
		return ""
	}
	f, err := c.Env.Workspace.Open(abs)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCurrentFile+1))
	if err != nil || len(data) > maxCurrentFile || bytes.ContainsAny(data, "\r\x00") {
		return ""
	}
	return string(data)
}
