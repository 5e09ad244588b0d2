package catalogue

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Entry is a tool of a server.
type Entry struct {
	Server string
	Tool
}

// Scores of a word of a query by the place where it is found.
const (
	inName        = 10
	inServer      = 3
	inDescription = 2
	inParameter   = 1
	wholeName     = 100
)

// Find returns the entries that match a query, the best first. Entries of equal score keep their
// order. An empty query matches all. Words that few entries have count more.
func Find(entries []Entry, query string) []Entry {
	wanted := split(query)
	if len(wanted) == 0 {
		return entries
	}
	texts := make([]searched, len(entries))
	for i, e := range entries {
		texts[i] = searchedOf(e)
	}
	type ranked struct {
		Entry
		score float64
	}
	var found []ranked
	rarity := rarities(texts, wanted)
	exact := strings.ToLower(strings.TrimSpace(query))
	for i, e := range entries {
		score := 0.0
		for j, word := range wanted {
			score += texts[i].worth(word) * rarity[j]
		}
		if exact == strings.ToLower(e.Name) || exact == strings.ToLower(e.Shown) || exact == strings.ToLower(Direct(e.Server, e.Shown)) {
			score += wholeName
		}
		if score > 0 {
			found = append(found, ranked{e, score})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	all := make([]Entry, len(found))
	for i, r := range found {
		all[i] = r.Entry
	}
	return all
}

// rarities returns the weight of each wanted word: words that few entries have weigh more.
func rarities(texts []searched, wanted []string) []float64 {
	all := make([]float64, len(wanted))
	for j, word := range wanted {
		having := 0
		for _, t := range texts {
			if t.worth(word) > 0 {
				having++
			}
		}
		all[j] = math.Log(1 + float64(len(texts))/float64(max(having, 1)))
	}
	return all
}

// searched are the words of an entry that a query is compared with.
type searched struct{ name, server, description, parameters []string }

func searchedOf(e Entry) searched {
	var schema struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(e.Schema, &schema)
	s := searched{name: split(e.Name), server: split(e.Server), description: split(e.Description)}
	for name, property := range schema.Properties {
		s.parameters = append(append(s.parameters, split(name)...), split(property.Description)...)
	}
	return s
}

// worth returns the score of a word for an entry.
func (s searched) worth(word string) float64 {
	worth := 0.0
	for _, place := range []struct {
		words []string
		value float64
	}{{s.name, inName}, {s.server, inServer}, {s.description, inDescription}, {s.parameters, inParameter}} {
		worth += place.value * alike(place.words, word)
	}
	return worth
}

// alike returns 1 if a word is among others, less if one of them only begins with it or it with
// one of them, else 0.
func alike(words []string, word string) float64 {
	const begins, shortest = 0.6, 3
	best := 0.0
	for _, w := range words {
		switch {
		case w == word:
			return 1
		case len(w) >= shortest && len(word) >= shortest && (strings.HasPrefix(w, word) || strings.HasPrefix(word, w)):
			best = begins
		}
	}
	return best
}

// fillers are words that are ignored.
var fillers = []string{"a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "the", "to", "tool", "tools", "use", "with"}

// split returns the words of a text in lower case: "createIssue" and "create_issue" have
// the same two.
func split(text string) []string {
	var all []string
	var word []rune
	end := func() {
		if w := strings.ToLower(string(word)); w != "" && !slices.Contains(fillers, w) {
			all = append(all, w)
		}
		word = word[:0]
	}
	last := rune(0)
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			end()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		last = r
	}
	end()
	return all
}
