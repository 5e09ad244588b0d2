// Package catalogue holds public facts about models: their windows, limits, prices and inputs. The
// report of an endpoint and the settings of a user take precedence over them.
//
// The facts come from charmbracelet/catwalk (MIT licence) of August 2026. TestPack writes the file,
// and corrects wrong cache prices.
package catalogue

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// text has a line for each model: provider, id, window, most output, the prices of input,
// output, cache read and cache write, flags, efforts. An empty number is not known. A lookup
// searches the lines without parsing them all, because a start needs one model of 1 500.
//
//go:embed models.tsv
var text string

// Model is a model at a provider.
type Model struct {
	Provider, ID string
	// Window is the size of the window in tokens, 0 if it is not known.
	Window int
	// MaxOutput is the most tokens of a reply, 0 if it is not known.
	MaxOutput int
	// Prices is nil if the price of input or output is not known.
	Prices *settings.Prices
	// Images reports whether the model takes images.
	Images bool
	// Efforts lists the values of reasoning.effort that the model takes.
	Efforts []string
}

// All returns every model, in the order of the source.
func All() []Model {
	models := make([]Model, 0, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		models = append(models, mustParse(line))
	}
	return models
}

// At returns a model of a provider of the catalogue. It looks for the id, and then for the longest
// id that the name continues with -, : or @, as names with dates do.
func At(provider, model string) (Model, bool) {
	return firstWhere(model, func(m *Model) bool { return m.Provider == provider })
}

// makers lists the providers that make the models they offer. Their facts take precedence over the
// facts of other providers.
var makers = []string{"openai", "anthropic", "gemini", "deepseek", "xai", "zai", "moonshot", "minimax", "alibaba-singapore"}

// ByMaker returns a model as its maker offers it. It reports false if no maker offers it.
func ByMaker(model string) (Model, bool) {
	return firstWhere(model, func(m *Model) bool { return slices.Contains(makers, m.Provider) })
}

// firstWhere returns the first model with a name for which is reports true.
func firstWhere(model string, is func(*Model) bool) (Model, bool) {
	return Longest(model, func(name string) (Model, bool) {
		models := modelsNamed(name)
		i := slices.IndexFunc(models, func(m Model) bool { return is(&m) })
		if i < 0 {
			return Model{}, false
		}
		return models[i], true
	})
}

// Window returns the window of a model in tokens, 0 if it is not known, and the part of the model's
// name that the catalogue has. It returns the maker's number, else the smallest number of any
// provider: a window that is too small costs a compression, but a window that is too large costs a
// refused request.
func Window(model string) (window int, name string, byMaker bool) {
	m, _ := Longest(model, func(part string) (Model, bool) {
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

// Longest calls find with the BaseName of a model, then with the part before its last -, : or @,
// and so on, until find reports true.
func Longest[T any](model string, find func(name string) (T, bool)) (found T, ok bool) {
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
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, "\t")
		id, _, _ := strings.Cut(rest, "\t")
		// Comparing the lengths first avoids copying most ids.
		if len(id)-strings.LastIndexByte(id, '/')-1 == len(name) && vendor.BaseName(id) == name {
			models = append(models, mustParse(line))
		}
	}
	lookups.Store(name, models)
	return models
}

// mustParse returns the model of a line of text. A test parses every line.
func mustParse(line string) Model {
	m, err := parse(strings.TrimSuffix(line, "\n"))
	if err != nil {
		panic("catalogue: " + err.Error())
	}
	return m
}

const columns = 10

func parse(line string) (Model, error) {
	cells := strings.Split(line, "\t")
	if len(cells) != columns {
		return Model{}, fmt.Errorf("%q has %d columns, want %d", line, len(cells), columns)
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
	if cells[4] != "" && cells[5] != "" {
		m.Prices = &settings.Prices{Input: numbers[2], Output: numbers[3], CacheRead: numbers[2], CacheWrite: numbers[2]}
		if cells[6] != "" && numbers[4] <= numbers[2] { // a higher price than the input's cannot be right
			m.Prices.CacheRead = numbers[4]
		}
		if cells[7] != "" {
			m.Prices.CacheWrite = numbers[5]
		}
	}
	return m, nil
}
