// Package catalogue holds what is publicly known of models: their windows, limits,
// prices, and what they take. It is facts only, read on first use; what an endpoint
// says itself and what a user sets go first.
//
// The facts are those of charmbracelet/catwalk (MIT licence) of August 2026, packed
// by TestPack.
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

// models.tsv.gz has a line a model: provider, id, window, most output, the prices
// input, output, cache read and cache write, flags, efforts. An empty number is not
// known.
//
//go:embed models.tsv.gz
var packed []byte

// Model is what is known of a model at a provider.
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

// At returns the model of a provider, by its id or by the longest name that it continues
// on after with -, : or @, as dated models do. The provider is one of the
// catalogue's.
func At(provider, model string) (Model, bool) {
	return where(model, func(m *Model) bool { return m.Provider == provider })
}

// makers are the providers that make the models they offer; what they say of their
// own counts more than what others do.
var makers = []string{"openai", "anthropic", "gemini", "deepseek", "xai", "zai", "moonshot", "minimax", "alibaba-singapore"}

// ByMaker returns a model as its maker offers it; false if none of the makers does.
func ByMaker(model string) (Model, bool) {
	return where(model, func(m *Model) bool { return slices.Contains(makers, m.Provider) })
}

// where returns the first model of a name for which something is so.
func where(model string, is func(*Model) bool) (Model, bool) {
	return Longest(model, func(name string) (Model, bool) {
		named := read().byName[name]
		if i := slices.IndexFunc(named, is); i >= 0 {
			return *named[i], true
		}
		return Model{}, false
	})
}

// Window returns what is known of the window of a model, in tokens, 0 if nothing is, and the
// part of the model's name that it is known by. It is what its maker states, else the
// smallest that anybody does: too small a window costs a compression, too large a one a
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

// Longest looks the name of a model up, then the part before its last -, : or @, and so on.
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
		if cells[6] != "" {
			m.Prices.CacheRead = numbers[4]
		}
		if cells[7] != "" {
			m.Prices.CacheWrite = numbers[5]
		}
	}
	return m, nil
}
