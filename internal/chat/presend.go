package chat

import (
	"bytes"
	"cmp"
	"context"
	"io"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/todo"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// EnsureCompressionBeforeSend runs the pre-send window (D-29): density, threshold check,
// compression, hard limit, in this order, before every request of a turn. Nothing else makes the
// history smaller, except after a provider's refusal (D-50).
func EnsureCompressionBeforeSend(ctx context.Context, w *window.Window) error {
	strategy, err := w.ActiveStrategy()
	if err != nil {
		return err
	}
	if err := w.Pruning.EnsureDensityOptimized(strategy); err != nil {
		return err
	}
	var done compression.Result
	if w.Measure.ShouldCompress(strategy) {
		if done, err = w.PerformCompression(ctx, strategy); err != nil {
			return err
		}
	}
	return w.EnforceLimit(strategy, done)
}

func newWindow(c *Chat) *window.Window {
	return window.New(window.Config{
		History:  c.config.History,
		Settings: c.config.Settings,
		MakeHead: func(lean bool, fits func(window.Head) bool) window.Head {
			return NewHeadMaker(c.config.Tools, c.config.Form(), settings.Tools.Value(c.config.Settings) == settings.AllTools, c.config.System)(lean, fits)
		},
		Models: models{&c.config},
		Facts:  c.config.Tools.Traits,
		Files:  c.config.files(),
		Root:   c.config.windowRoot(),
		Now:    c.config.Now,
		Log:    c.config.Log,
		OnStep: c.emitStep,

		Summarizer:     c.summarizer,
		Beside:         c.serveWhile,
		Moments:        compactions{c.moments, c.config.Extensions.Refreeze},
		TranscriptPath: c.config.TranscriptPath,
		Todos:          func() todo.List { return c.config.Env.Todos.List() },
	})
}

// windowRoot returns the base folder of relative paths in the calls of the history.
func (c *Config) windowRoot() string { return cmp.Or(c.SessionRoot, c.Root) }

// SystemPrompt renders the system prompt for a model with these tools, or a short prompt if lean is
// set. If the prompt contains instructions, SystemPrompt shortens them until fits accepts the prompt.
// It reports in cut whether it did.
type SystemPrompt func(lean bool, tools []string, fits func(prompt string) bool) (prompt string, cut bool)

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
