package catalogue

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Entry is a tool with the name of its server.
type Entry struct {
	Server string
	Tool
}

// The scores of a query word, by the field in which it is found.
const (
	inName        = 10
	inServer      = 3
	inDescription = 2
	inParameter   = 1
	wholeName     = 100
)

// Find returns the entries that match a query, the best first. Entries with equal scores keep their
// order. An empty query matches all entries. A rare word counts more than a frequent one.
func Find(entries []Entry, query string) []Entry {
	wanted := split(query)
	if len(wanted) == 0 {
		return entries
	}
	texts := make([]entryWords, len(entries))
	for i, e := range entries {
		texts[i] = entryWordsOf(e)
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
		if exact == strings.ToLower(e.Name) || exact == strings.ToLower(e.Shown) || exact == strings.ToLower(DirectName(e.Server, e.Shown)) {
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

// rarities returns the weight of each wanted word. A rare word has a greater weight.
func rarities(texts []entryWords, wanted []string) []float64 {
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

// entryWords holds the words of an entry, by the fields that Find searches.
type entryWords struct{ name, server, description, parameters []string }

func entryWordsOf(e Entry) entryWords {
	var schema struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(e.Schema, &schema)
	s := entryWords{name: split(e.Name), server: split(e.Server), description: split(e.Description)}
	for name, property := range schema.Properties {
		s.parameters = append(append(s.parameters, split(name)...), split(property.Description)...)
	}
	return s
}

func (s entryWords) worth(word string) float64 {
	worth := 0.0
	for _, place := range []struct {
		words []string
		value float64
	}{{s.name, inName}, {s.server, inServer}, {s.description, inDescription}, {s.parameters, inParameter}} {
		worth += place.value * similarity(place.words, word)
	}
	return worth
}

// similarity returns 1 if word is in words. It returns less if one of words is a prefix of word or
// begins with it, and 0 otherwise.
func similarity(words []string, word string) float64 {
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

// fillers lists words that a search ignores.
var fillers = []string{"a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "the", "to", "tool", "tools", "use", "with"}

// split returns the words of a text in lower case. It splits "createIssue" and "create_issue" into
// the same words.
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
