package offline

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"

	"agent/internal/compression"
	"agent/internal/settings"
)

// shortNames are the names a document's config uses besides the keys of settings
// (REQ-HD-001.9).
var shortNames = map[string]string{
	"readWritePruning":  settings.DensityReadWritePruning.Key(),
	"fileDedupe":        settings.DensityFileDedupe.Key(),
	"recencyPruning":    settings.DensityRecencyPruning.Key(),
	"recencyRetention":  settings.DensityRecencyRetention.Key(),
	"strategy":          settings.CompressionStrategy.Key(),
	"threshold":         settings.CompressionThreshold.Key(),
	"preserveThreshold": settings.CompressionPreserveThreshold.Key(),
	"contextLimit":      settings.ContextLimit.Key(),
}

// workspaceName is the one name in a config that is not a setting: the workspace
// of a document that does not name it itself.
const workspaceName = "workspaceRoot"

// configure lets the document's config take effect, below the flags. A wrong name
// or value is a *history.DocumentError with its line.
func (e *Engine) configure(in *Input) error {
	if in.Document == nil {
		return nil
	}
	config := in.Document.Config
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if problem := e.set(in, name, config[name]); problem != "" {
			return in.Document.ConfigError(name, problem)
		}
	}
	return nil
}

// set applies one line of a config and returns what is wrong with it, if anything.
func (e *Engine) set(in *Input, name string, raw json.RawMessage) (problem string) {
	key, short := shortNames[name]
	if !short {
		key = name
	}
	value := typed(raw)
	switch {
	case key == settings.DensityRecencyRetention.Key():
		value = strconv.Itoa(compression.NormalizeRetention(number(raw)))
	case string(raw) == "null":
		return ""
	case name == workspaceName:
		var root string
		if json.Unmarshal(raw, &root) != nil {
			return "must be a string"
		}
		if in.WorkspaceRoot == "" {
			in.WorkspaceRoot = root
		}
		return ""
	}
	err := e.Settings.Set(settings.ProfileLayer, key, value)
	var wrong *settings.Error
	switch {
	case errors.As(err, &wrong):
		return wrong.Problem
	case err != nil:
		return err.Error()
	}
	return ""
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

// typed is a JSON value as one would type it for /set.
func typed(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
