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

// A shortName is the short form of a setting's key in a document's config (REQ-HD-001.9).
type shortName struct {
	key string
	// normalize turns any number into a valid value of a numeric setting (D-22).
	normalize func(float64) int
}

func shortNames() map[string]shortName {
	names := map[string]shortName{
		"strategy":          {key: settings.CompressionStrategy.Key()},
		"threshold":         {key: settings.CompressionThreshold.Key()},
		"preserveThreshold": {key: settings.CompressionPreserveThreshold.Key()},
		"contextLimit":      {key: settings.ContextLimit.Key()},
	}
	for _, phase := range compression.Phases() {
		names[phase.Switch.Name] = shortName{key: settings.DensityKey(phase.Switch.Name)}
		for _, n := range phase.Numbers {
			names[n.Name] = shortName{settings.DensityKey(n.Name), n.Normalize}
			names[settings.DensityKey(n.Name)] = names[n.Name]
		}
	}
	return names
}

// workspaceName is the only name in a config that is not a setting. It sets the workspace of a document
// that does not contain one.
const workspaceName = "workspaceRoot"

// configure applies the document's config, with lower precedence than the flags. For an invalid name or
// value it returns a *history.DocumentError with the line.
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

// set applies one member of a config. It returns the problem with the member, or "".
func (e *Engine) set(in *Input, name string, raw json.RawMessage) (problem string) {
	short, known := shortNames()[name]
	if !known {
		short.key = name
	}
	value := settingText(raw)
	switch {
	case short.normalize != nil:
		value = strconv.Itoa(short.normalize(number(raw)))
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
	err := e.Settings.Set(settings.LayerProfile, short.key, value)
	var wrong *settings.Error
	switch {
	case errors.As(err, &wrong):
		return wrong.Problem
	case err != nil:
		return err.Error()
	}
	return ""
}

// number parses a JSON number. Any other value becomes NaN, which means the default (D-22).
func number(raw json.RawMessage) float64 {
	var n *float64
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return math.NaN()
	}
	return *n
}

// settingText returns a JSON value in the form in which a user types it for /set.
func settingText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
