package catalogue

import (
	"fmt"
	"strings"

	"agent/internal/words"
)

// bytesPerToken is what a token of definitions takes, near enough. Nothing is counted with
// a vocabulary: loading one takes longer than a start may.
const bytesPerToken = 3.5

// Tokens is about how many tokens a text of definitions takes.
func Tokens(text string) int { return int(float64(len(text))/bytesPerToken) + 1 }

// Tokens is about what the definition takes in a request.
func (t Tool) Tokens() int {
	const frame = 12
	return frame + Tokens(t.Shown+t.Description+string(t.Schema))
}

// Tokens is about what all definitions take in a request.
func (k Known) Tokens() int {
	n := 0
	for _, t := range k.Tools {
		n += t.Tokens()
	}
	return n
}

// Usable is a server that can be used, as the index names it.
type Usable struct {
	Name string
	// Origin says where it is configured.
	Origin string
	Known  Known
	// Direct is set when its tools are offered by themselves.
	Direct bool
}

// Steps of the index, in tokens: up to wholeIndex it has the beginnings of descriptions,
// up to namesIndex the names of tools.
const (
	wholeIndex = 1000
	namesIndex = 2000
	// maxFirst is what the index has of a description, in characters.
	maxFirst = 60
)

// Index lists servers and their tools for the model, in as few words as it takes.
func Index(servers []Usable) string {
	text := ""
	for _, line := range []func(Usable) string{withFirst, withNames, withCount} {
		var b strings.Builder
		for _, s := range servers {
			b.WriteString("\n" + s.Name + " (" + s.Origin + ")" + s.tools(line))
		}
		text = b.String()
		limit := namesIndex
		if text == "" || strings.Contains(text, "\n- ") {
			limit = wholeIndex
		}
		if Tokens(text) <= limit {
			break
		}
	}
	return text
}

// tools are those of a server, but for one whose tools are in the array themselves, or of
// which none is known.
func (s Usable) tools(say func(Usable) string) string {
	switch {
	case s.Direct:
		return ": offered as " + Direct(s.Name, "…")
	case len(s.Known.Tools) == 0:
		return ": no tools are known yet"
	}
	return ":" + say(s)
}

func withFirst(s Usable) string {
	var b strings.Builder
	for _, t := range s.Known.Tools {
		b.WriteString("\n- " + t.Shown)
		if first := words.Line(words.FirstLine(t.Description), maxFirst); first != "" {
			b.WriteString(": " + first)
		}
	}
	return b.String()
}

func withNames(s Usable) string {
	var names []string
	for _, t := range s.Known.Tools {
		names = append(names, t.Shown)
	}
	return " " + strings.Join(names, ", ")
}

func withCount(s Usable) string { return " " + words.Count(len(s.Known.Tools), "tool") }

// Choice says whose tools are offered directly.
type Choice string

// The choices of the setting mcp.tools.
const (
	Auto     Choice = "auto"
	Directly Choice = "direct"
	Search   Choice = "search"
)

// Fit marks the servers whose definitions are offered directly: those that fit in the room
// left, in tokens, in their order, first those that a person wants always.
func Fit(servers []Usable, always func(name string) bool, choice Choice, room int) {
	for _, first := range []bool{true, false} {
		for i := range servers {
			s := &servers[i]
			if always(s.Name) != first || choice == Search || len(s.Known.Tools) == 0 {
				continue
			}
			if tokens := s.offered(); tokens <= room || choice == Directly {
				s.Direct = true
				room -= tokens
			}
		}
	}
}

// offered is what the definitions take that are short enough to be offered.
func (s *Usable) offered() int {
	n := 0
	for _, t := range s.Known.Tools {
		if !t.Long {
			n += t.Tokens()
		}
	}
	return n
}

// Definition is a tool in full, as a search answers it.
func (e Entry) Definition() string {
	schema := string(e.Schema)
	if e.Long {
		schema = cut(schema, maxSchema)
	}
	return fmt.Sprintf("%s/%s\n%s\narguments: %s", e.Server, e.Shown, e.Description, schema)
}
