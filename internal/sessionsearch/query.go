package sessionsearch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// longestQuery limits a query, in characters.
const longestQuery = 400

// A Query describes the entries to find.
type Query struct {
	// words are the words of which at least one must match. They determine the order of the results.
	words []string
	// without are words that must not occur.
	without []string
	phrases []phrase
	// paths and tools must all occur in the call of an entry. They are in lower case.
	paths, tools []string
	// after and before limit the time. The zero time means no limit.
	after, before time.Time
	// Plain is set if the query looks like a regular expression. It is searched for as words.
	Plain bool
}

// A phrase is a text that must occur word for word, or must not occur.
type phrase struct {
	words  []string
	absent bool
}

var errNoWords = errors.New(`no words to search for. Example: timeout "connection refused" path:client.go after:2026-01-31 -flaky`)

// ParseQuery parses a query: words, "exact words", -word, path:FILE, tool:NAME, before:DATE and after:DATE.
// A date is a day, with or without a time, in the location of now.
func ParseQuery(text string, now time.Time) (q Query, err error) {
	if n := utf8.RuneCountInString(text); n > longestQuery {
		return q, fmt.Errorf("the search has %d characters; use at most %d", n, longestQuery)
	}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		rest, absent := strings.CutPrefix(text, "-")
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			said, after, _ := strings.Cut(quoted, `"`)
			if words := wordsOf(said); len(words) > 0 {
				q.phrases = append(q.phrases, phrase{words, absent})
			}
			text = after
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r", r) })
		if end < 0 {
			end = len(text)
		}
		if err := q.add(text[:end], now.Location()); err != nil {
			return q, err
		}
		text = text[end:]
	}
	slices.Sort(q.words)
	q.words = slices.Compact(q.words)
	wanted := func(p phrase) bool { return !p.absent }
	if len(q.words)+len(q.paths)+len(q.tools) == 0 && !slices.ContainsFunc(q.phrases, wanted) {
		return q, errNoWords
	}
	return q, nil
}

// add adds a part of the query. The part contains no blanks.
func (q *Query) add(part string, in *time.Location) (err error) {
	name, value, _ := strings.Cut(part, ":")
	if value != "" {
		switch strings.ToLower(name) {
		case "path":
			q.paths = append(q.paths, strings.Trim(strings.ToLower(strings.ReplaceAll(value, `\`, "/")), "/"))
			return nil
		case "tool":
			q.tools = append(q.tools, strings.ToLower(value))
			return nil
		case "before":
			q.before, err = date(value, in)
			return err
		case "after":
			q.after, err = date(value, in)
			return err
		}
	}
	if rest, absent := strings.CutPrefix(part, "-"); absent && rest != "" {
		q.without = append(q.without, wordsOf(rest)...)
		return nil
	}
	for _, sign := range []string{".*", ".+", `\b`, `\d`, `\s`, `\w`, "(?", "[^", "|"} {
		q.Plain = q.Plain || strings.Contains(part, sign)
	}
	q.words = append(q.words, wordsOf(part)...)
	return nil
}

func date(text string, in *time.Location) (time.Time, error) {
	for _, layout := range []string{"2006-01-02", "2006-01-02T15:04", time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, in); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid date %q. Write 2026-01-31 or 2026-01-31T09:30", text)
}

func (q *Query) in(at time.Time) bool {
	return !at.Before(q.after) && (q.before.IsZero() || at.Before(q.before))
}

// phrasesFit reports whether the text satisfies the phrases of the query.
func (q *Query) phrasesFit(text string) bool {
	if len(q.phrases) == 0 {
		return true
	}
	all := wordsOf(text)
	return !slices.ContainsFunc(q.phrases, func(p phrase) bool { return (phraseAt(all, p.words) >= 0) == p.absent })
}

// phraseAt returns the index in a list of words at which a phrase begins, or -1 if it does not occur.
func phraseAt(all, phrase []string) int {
	for i := range len(all) - len(phrase) + 1 {
		if slices.Equal(all[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}
