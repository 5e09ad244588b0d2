package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"agent/internal/base/humanize"
)

// bytesPerToken is the approximate size of a token in a definition. An exact count would require a
// vocabulary, which takes too long to load at startup.
const bytesPerToken = 3.5

// Tokens returns the approximate number of tokens of a text in definitions.
func Tokens(text string) int { return int(float64(len(text))/bytesPerToken) + 1 }

// Tokens returns the approximate number of tokens of the definition in a request.
func (t Tool) Tokens() int {
	const frame = 12
	return frame + Tokens(t.Shown+t.Description+string(t.Schema))
}

// Tokens returns the approximate number of tokens of all definitions in a request.
func (k ServerInfo) Tokens() int {
	n := 0
	for _, t := range k.Tools {
		n += t.Tokens()
	}
	return n
}

// UsableServer is a server that can be used.
type UsableServer struct {
	Name string
	// Origin describes where the server is configured.
	Origin string
	Known  ServerInfo
	// OfferedDirectly is set if the server's tools are offered directly.
	OfferedDirectly bool
}

const (
	// wholeIndex is the greatest size of an index that includes the beginnings of descriptions, in
	// tokens.
	wholeIndex = 1000
	// namesIndex is the greatest size of an index with only the names of tools, in tokens.
	namesIndex = 2000
	// maxFirst is the greatest length of the beginning of a description in the index, in
	// characters.
	maxFirst = 60
)

// Index lists servers and their tools for the model, with as much detail as the limits allow.
func Index(servers []UsableServer) string {
	text := ""
	for _, line := range []func(UsableServer) string{withFirst, withNames, withCount} {
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

// tools describes the tools of a server with say. If the tools are offered directly or unknown, it
// returns a note.
func (s UsableServer) tools(say func(UsableServer) string) string {
	switch {
	case s.OfferedDirectly:
		return ": offered as " + DirectName(s.Name, "…")
	case len(s.Known.Tools) == 0:
		return ": no tools are known yet"
	}
	return ":" + say(s)
}

func withFirst(s UsableServer) string {
	var b strings.Builder
	for _, t := range s.Known.Tools {
		b.WriteString("\n- " + t.Shown)
		if first := humanize.Line(humanize.FirstLine(t.Description), maxFirst); first != "" {
			b.WriteString(": " + first)
		}
	}
	return b.String()
}

func withNames(s UsableServer) string {
	var names []string
	for _, t := range s.Known.Tools {
		names = append(names, t.Shown)
	}
	return " " + strings.Join(names, ", ")
}

func withCount(s UsableServer) string { return " " + humanize.Count(len(s.Known.Tools), "tool") }

// OfferRule selects which tools are offered directly.
type OfferRule string

// The choices of the setting mcp.tools.
const (
	OfferAuto   OfferRule = "auto"
	OfferDirect OfferRule = "direct"
	OfferSearch OfferRule = "search"
)

// ChooseDirect sets OfferedDirectly for the servers whose definitions fit into room tokens. It first considers
// the servers that the user always wants, and then the others, each in their order.
func ChooseDirect(servers []UsableServer, always func(name string) bool, choice OfferRule, room int) {
	for _, first := range []bool{true, false} {
		for i := range servers {
			s := &servers[i]
			if always(s.Name) != first || choice == OfferSearch || len(s.Known.Tools) == 0 {
				continue
			}
			if tokens := s.offeredTokens(); tokens <= room || choice == OfferDirect {
				s.OfferedDirectly = true
				room -= tokens
			}
		}
	}
}

// offeredTokens returns the number of tokens of the definitions that are short enough to offer.
func (s *UsableServer) offeredTokens() int {
	n := 0
	for _, t := range s.Known.Tools {
		if !t.Long {
			n += t.Tokens()
		}
	}
	return n
}

// Definition returns the complete definition of a tool for search results.
func (e Entry) Definition() string {
	schema := string(e.Schema)
	if e.Long {
		schema = shorten(schema, maxSchema)
	}
	return fmt.Sprintf("%s/%s\n%s\narguments: %s", e.Server, e.Shown, e.Description, schema)
}

// maxName is the greatest length of a tool name that providers accept.
const maxName = 64

// prefix is the start of the direct names of tools.
const prefix = "mcp__"

// DirectName returns the name under which a tool is offered directly. shown is the name of the tool
// for the model.
func DirectName(server, shown string) string { return prefix + server + "__" + shown }

// SplitDirectName returns the server and the tool of a direct name. ok is false for other names.
func SplitDirectName(direct string) (server, shown string, ok bool) {
	rest, ok := strings.CutPrefix(direct, prefix)
	if !ok {
		return "", "", false
	}
	server, shown, ok = strings.Cut(rest, "__")
	return server, shown, ok && server != "" && shown != ""
}

// short returns the name of a tool for the model. The name consists of letters, digits, - and _. It
// is short enough for the direct name to have at most maxName characters. If it must be cut or is
// taken, it ends in digits of a hash.
func short(server, name string, taken func(string) bool) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, name)
	room := maxName - len(DirectName(server, ""))
	if len(plain) <= room && !taken(plain) {
		return plain
	}
	const digits = 8
	sum := sha256.Sum256([]byte(name))
	return plain[:min(len(plain), room-digits-1)] + "_" + hex.EncodeToString(sum[:])[:digits]
}
