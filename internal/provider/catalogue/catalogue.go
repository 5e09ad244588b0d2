// Package catalogue contains public facts about models: their context windows, limits, prices and inputs. The
// report of an endpoint and the settings of a user take precedence over them.
//
// The facts come from charmbracelet/catwalk (MIT license, 2026-10-28). For the vendors in
// earendil-works/pi-ai (MIT license, 2026-11-20), they come from there. TestPack writes the file, and
// corrects wrong cache prices. A list that was fetched later replaces it (see UseFile).
package catalogue

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agent/internal/base/lazyregexp"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// embedded has the date of the list in its first line, and then one line for each model. Its cells are:
// provider, id, context window, output limit, the prices of input, output, cache read and cache write,
// flags, efforts, price steps, bound reasoning. An empty cell means unknown. A lookup searches the
// lines without parsing all of them, because a start needs only one model of 2 000.
//
//go:embed models.tsv
var embedded string

// Model is a model at a provider.
type Model struct {
	Provider, ID string
	// Window is the context window in tokens, or 0 if unknown.
	Window int
	// MaxOutput is the output limit in tokens, or 0 if unknown.
	MaxOutput int
	// Prices is nil if the price of input or output is unknown.
	Prices *settings.Prices
	// Images reports whether the model supports images.
	Images bool
	// Efforts lists the values of reasoning.effort that the model supports.
	Efforts []string
	// Bound is the condition under which the vendor uses earlier reasoning again. It is "" if the line
	// does not contain it.
	Bound vendor.BoundReasoning
}

// All returns every model, in the order of the source.
func All() []Model {
	text := current().lines
	models := make([]Model, 0, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		if m, err := checked(line); err == nil {
			models = append(models, m)
		}
	}
	return models
}

// Lookup returns a model of a provider in the catalog. It looks for the id, and then for the id without a
// date or a tag at its end. Any other ending means another model.
func Lookup(provider, model string) (Model, bool) {
	return firstWhere(model, func(m *Model) bool { return m.Provider == provider })
}

// tag matches the end of a name that can be omitted without changing the model.
var tag = lazyregexp.New(`^(.+?)(?:-20\d{6}|-20\d\d-\d\d-\d\d|-latest|:[a-z][a-z-]*|@.+)$`)

// makers lists the providers that make the models they offer. Their facts take precedence over the
// facts of other providers.
var makers = []string{"openai", "anthropic", "gemini", "deepseek", "xai", "zai", "moonshot", "minimax", "alibaba-singapore"}

// LookupByMaker returns a model as its maker offers it. It returns false if no maker offers it.
func LookupByMaker(model string) (Model, bool) {
	return firstWhere(model, func(m *Model) bool { return slices.Contains(makers, m.Provider) })
}

// firstWhere returns the first model with a name for which is returns true. A model with the same id
// takes precedence over models that only have the same BaseName.
func firstWhere(model string, is func(*Model) bool) (Model, bool) {
	for name := vendor.BaseName(model); name != ""; {
		var found *Model
		for _, m := range modelsNamed(name) {
			if is(&m) && (found == nil || m.ID == model) {
				found = &m
			}
		}
		if found != nil {
			return *found, true
		}
		match := tag.FindStringSubmatch(name)
		if match == nil {
			break
		}
		name = match[1]
	}
	return Model{}, false
}

// Window returns the context window of a model in tokens, or 0 if unknown. name is the part of the
// model's name that is in the catalog. It returns the maker's number, or otherwise the smallest number
// of any provider. A context window that is too small costs a compression, but one that is too large
// costs a refused request.
func Window(model string) (window int, name string, byMaker bool) {
	m, _ := LookupLongestName(model, func(part string) (Model, bool) {
		var smallest Model
		for _, m := range modelsNamed(part) {
			switch {
			case m.Window == 0:
			case slices.Contains(makers, m.Provider):
				return m, true
			case smallest.Window == 0 || m.Window < smallest.Window:
				smallest = m
			}
		}
		return smallest, smallest.Window > 0
	})
	return m.Window, vendor.BaseName(m.ID), slices.Contains(makers, m.Provider)
}

// LookupLongestName calls find with the BaseName of a model, then with the part before its last -, : or @, and so
// on, until find returns true.
func LookupLongestName[T any](model string, find func(name string) (T, bool)) (found T, ok bool) {
	name := vendor.BaseName(model)
	for end := len(name); end > 0; end = strings.LastIndexAny(name[:end], "-:@") {
		if found, ok = find(name[:end]); ok {
			return found, true
		}
	}
	return found, false
}

// lookups caches the results of named.
var lookups sync.Map

// modelsNamed returns the models whose BaseName is name, in the order of All.
func modelsNamed(name string) []Model {
	if models, ok := lookups.Load(name); ok {
		return models.([]Model)
	}
	var models []Model
	for line := range strings.Lines(current().lines) {
		_, rest, _ := strings.Cut(line, "\t")
		id, _, _ := strings.Cut(rest, "\t")
		// Comparing the lengths first avoids copying most ids.
		if len(id)-strings.LastIndexByte(id, '/')-1 == len(name) && vendor.BaseName(id) == name {
			if m, err := checked(line); err == nil {
				models = append(models, m)
			}
		}
	}
	lookups.Store(name, models)
	return models
}

const columns = 12

func parse(line string) (Model, error) {
	cells := strings.Split(line, "\t")
	if len(cells) != columns {
		return Model{}, fmt.Errorf("%q has %d columns instead of %d", line, len(cells), columns)
	}
	var numbers [6]float64
	for i, cell := range cells[2:8] {
		if cell == "" {
			continue
		}
		var err error
		if numbers[i], err = strconv.ParseFloat(cell, 64); err != nil {
			return Model{}, fmt.Errorf("%q: %w", line, err)
		}
	}
	m := Model{
		Provider: cells[0], ID: cells[1], Window: int(numbers[0]), MaxOutput: int(numbers[1]),
		Images: strings.Contains(cells[8], "i"),
	}
	if cells[9] != "" {
		m.Efforts = strings.Split(cells[9], ",")
	}
	m.Bound = vendor.BoundReasoning(cells[11])
	if cells[4] != "" && cells[5] != "" {
		m.Prices = &settings.Prices{Input: numbers[2], Output: numbers[3], CacheRead: numbers[2], CacheWrite: numbers[2]}
		// A price above the price of input is implausible, and 0 means unknown.
		if numbers[4] > 0 && numbers[4] <= numbers[2] {
			m.Prices.CacheRead = numbers[4]
		}
		if cells[7] != "" && numbers[5] >= numbers[2] { // a price below the price of input means no separate price
			m.Prices.CacheWrite = numbers[5]
		}
		if cells[10] != "" {
			var err error
			if m.Prices.Steps, err = settings.ParseSteps(cells[10]); err != nil {
				return Model{}, fmt.Errorf("%q: %w", line, err)
			}
		}
	}
	return m, nil
}
