// Package catalogue has public facts about models: their windows, limits, prices and inputs.
// They are read on first use. What an endpoint reports and what a user sets takes precedence.
//
// The facts are those of charmbracelet/catwalk (MIT licence) of August 2026, packed
// by TestPack, which corrects cache prices that cannot be right.
package catalogue

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// models.tsv.gz has a line for each model: provider, id, window, most output, the prices of
// input, output, cache read and cache write, flags, efforts. An empty number is not known.
//
//go:embed models.tsv.gz
var packed []byte

// Model is a model at a provider.
type Model struct {
	Provider, ID string
	// Window and MaxOutput are in tokens, 0 where not known.
	Window, MaxOutput int
	// Prices is nil where the price of input or output is not known.
	Prices *settings.Prices
	// Images reports whether it takes images.
	Images bool
	// Efforts are the values of reasoning.effort that it takes.
	Efforts []string
}

// All returns every model, sorted by provider as in the source.
func All() []Model { return read().models }

// At returns a model of a provider, by its id or by the longest id that the name continues with
// -, : or @, as names with dates do. The provider is one of the catalogue.
func At(provider, model string) (Model, bool) {
	return where(model, func(m *Model) bool { return m.Provider == provider })
}

// makers are the providers that make the models they offer. Their facts take precedence over
// those of others.
var makers = []string{"openai", "anthropic", "gemini", "deepseek", "xai", "zai", "moonshot", "minimax", "alibaba-singapore"}

// ByMaker returns a model as its maker offers it; false if no maker does.
func ByMaker(model string) (Model, bool) {
	return where(model, func(m *Model) bool { return slices.Contains(makers, m.Provider) })
}

// where returns the first model of a name for which is reports true.
func where(model string, is func(*Model) bool) (Model, bool) {
	return Longest(model, func(name string) (Model, bool) {
		named := read().byName[name]
		if i := slices.IndexFunc(named, is); i >= 0 {
			return *named[i], true
		}
		return Model{}, false
	})
}

// Window returns the window of a model in tokens, 0 if it is not known, and the part of the
// model's name that the catalogue has. It is what the maker states, else the smallest that
// anybody states: a window that is too small costs a compression, one that is too large a
// refused request.
func Window(model string) (window int, name string, byMaker bool) {
	m, _ := Longest(model, func(part string) (Model, bool) {
		var smallest Model
		for _, m := range read().byName[part] {
			switch {
			case m.Window == 0:
			case slices.Contains(makers, m.Provider):
				return *m, true
			case smallest.Window == 0 || m.Window < smallest.Window:
				smallest = *m
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

type contents struct {
	models []Model
	byName map[string][]*Model
}

var read = sync.OnceValue(func() *contents {
	file, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("catalogue: " + err.Error())
	}
	c := &contents{byName: map[string][]*Model{}}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		m, err := parse(lines.Text())
		if err != nil {
			panic("catalogue: " + err.Error())
		}
		c.models = append(c.models, m)
	}
	if lines.Err() != nil {
		panic("catalogue: " + lines.Err().Error())
	}
	for i := range c.models {
		name := vendor.BaseName(c.models[i].ID)
		c.byName[name] = append(c.byName[name], &c.models[i])
	}
	return c
})

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
		if cells[6] != "" && numbers[4] <= numbers[2] { // above the input it cannot be right
			m.Prices.CacheRead = numbers[4]
		}
		if cells[7] != "" {
			m.Prices.CacheWrite = numbers[5]
		}
	}
	return m, nil
}
