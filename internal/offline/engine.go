package offline

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tools"
)

// Input is a history to work on.
type Input struct {
	// Name is the file it came from, for reports.
	Name          string
	WorkspaceRoot string
	History       []*history.Content
	// Document is where it came from when that can carry configuration, else nil.
	Document *history.Document
}

// Engine works on histories with the user's settings.
type Engine struct {
	Settings *settings.Settings
	Counter  func(model string) history.Counter
	Tools    *tools.Registry
	// System is the system prompt a replay heads its requests with.
	System string
}

// shortNames are the names a document's config uses besides the keys of settings
// (REQ-HD-001.9).
var shortNames = map[string]string{
	"readWritePruning":  settings.KeyDensityReadWritePruning,
	"fileDedupe":        settings.KeyDensityFileDedupe,
	"recencyPruning":    settings.KeyDensityRecencyPruning,
	"recencyRetention":  settings.KeyDensityRecencyRetention,
	"strategy":          settings.KeyCompressionStrategy,
	"threshold":         settings.KeyCompressionThreshold,
	"preserveThreshold": settings.KeyCompressionPreserveThreshold,
	"contextLimit":      settings.KeyContextLimit,
}

// configure lets the document's config take effect below the flags, and returns
// the density configuration that results. A wrong value is reported with its line.
func (e *Engine) configure(in Input) (compression.DensityConfig, error) {
	retention := float64(e.Settings.DensityRecencyRetention())
	if in.Document != nil {
		for name, raw := range in.Document.Config {
			key, short := shortNames[name]
			if !short {
				key = name
			}
			if key == settings.KeyDensityRecencyRetention {
				if _, source := e.Settings.Get(key); source < settings.Flags {
					retention = number(raw)
				}
				continue
			}
			if err := e.Settings.Set(settings.ProfileLayer, key, text(raw)); err != nil {
				return compression.DensityConfig{}, in.Document.ConfigError(name, problemOf(err))
			}
		}
	}
	return compression.DensityConfig{
		ReadWritePruning: e.Settings.DensityReadWritePruning(),
		FileDedupe:       e.Settings.DensityFileDedupe(),
		RecencyPruning:   e.Settings.DensityRecencyPruning(),
		RecencyRetention: retention,
		WorkspaceRoot:    in.WorkspaceRoot,
		Facts:            chat.ToolFacts(e.Tools),
	}, nil
}

// number reads a retention as D-22 wants it: anything that is not a number is NaN,
// which stands for the default.
func number(raw json.RawMessage) float64 {
	var n *float64
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return math.NaN()
	}
	return *n
}

// text is a JSON value as one would type it for /set.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func problemOf(err error) string {
	var wrong *settings.Error
	if errors.As(err, &wrong) {
		return wrong.Problem
	}
	return err.Error()
}

// service returns a live history that holds the input's entries.
func (e *Engine) service(in Input) (*history.Service, error) {
	s := history.NewService(e.Counter(e.Settings.Model()), nil)
	return s, s.Restore(in.History)
}

// contextLimit is the window the user set, else the common one.
func (e *Engine) contextLimit() int {
	if limit, set := e.Settings.ContextLimit(); set {
		return limit
	}
	return chat.DefaultContextLimit
}

// path shortens a name for a column.
func shorten(s string, width int) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}
