package highlight

import (
	"strings"

	"agent/internal/lexer"
	"agent/internal/tui/style"

	"github.com/alecthomas/chroma/v2"
)

// maxHighlight bounds the code that is highlighted, in bytes: the lexers take two
// milliseconds a kilobyte, and the input must not wait for them.
const maxHighlight = 8 << 10

// Lines paints code line by line. Code in an unknown language, or a great deal
// of it, stays plain.
func Lines(t *style.Theme, code, language string) []string {
	code = style.Clean(strings.TrimRight(code, "\n"))
	lexer := lexerFor(language)
	if lexer == nil || len(code) > maxHighlight || t.Keyword.On == "" {
		return strings.Split(code, "\n")
	}
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil {
		return strings.Split(code, "\n")
	}
	var lines []string
	var line strings.Builder
	for token := tokens(); token != chroma.EOF; token = tokens() {
		look := tokenStyle(t, token.Type)
		for i, part := range strings.Split(token.Value, "\n") {
			if i > 0 {
				lines = append(lines, line.String())
				line.Reset()
			}
			line.WriteString(look.Text(part))
		}
	}
	if line.Len() > 0 || len(lines) == 0 {
		lines = append(lines, line.String())
	}
	return lines
}

// lexerFor returns the lexer of a fence's info word, nil when there is none.
func lexerFor(language string) chroma.Lexer {
	if language == "" || len(language) > 32 {
		return nil
	}
	if found := lexer.Named(language); found != nil {
		return chroma.Coalesce(found)
	}
	return nil
}

// tokenStyle maps the kinds of token to the few styles that help reading.
func tokenStyle(t *style.Theme, kind chroma.TokenType) style.Style {
	switch {
	case kind == chroma.KeywordType || kind == chroma.NameClass || kind == chroma.NameBuiltin:
		return t.TypeName
	case kind.InCategory(chroma.Keyword) || kind == chroma.NameTag:
		return t.Keyword
	case kind.InSubCategory(chroma.LiteralNumber):
		return t.Number
	case kind.InCategory(chroma.Literal):
		return t.Literal
	case kind.InCategory(chroma.Comment):
		return t.Comment
	case kind == chroma.NameFunction || kind == chroma.NameAttribute:
		return t.Name
	case kind == chroma.GenericInserted:
		return t.Added
	case kind == chroma.GenericDeleted:
		return t.Removed
	case kind.InCategory(chroma.Generic):
		return t.Hunk
	}
	return t.Plain
}
