package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
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

// maxName bounds the name of a tool; providers take no more.
const maxName = 64

// prefix begins the name under which a tool of a server is offered directly.
const prefix = "mcp__"

// Direct is the name under which a tool is offered directly, by the name that is shown.
func Direct(server, shown string) string { return prefix + server + "__" + shown }

// Split returns the server and the tool that a direct name is of; ok is false for a name
// of another form.
func Split(direct string) (server, shown string, ok bool) {
	rest, ok := strings.CutPrefix(direct, prefix)
	if !ok {
		return "", "", false
	}
	server, shown, ok = strings.Cut(rest, "__")
	return server, shown, ok && server != "" && shown != ""
}

// short is the name by which the model calls a tool of a server: letters, digits, - and _
// only, so short that the direct name is at most 64 long. Digits of a hash keep it apart
// from others.
func short(server, name string, taken func(string) bool) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, name)
	room := maxName - len(Direct(server, ""))
	if len(plain) <= room && !taken(plain) {
		return plain
	}
	const digits = 8
	sum := sha256.Sum256([]byte(name))
	return plain[:min(len(plain), room-digits-1)] + "_" + hex.EncodeToString(sum[:])[:digits]
}
