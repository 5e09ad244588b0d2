package tui

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// maxHighlight bounds the code that is highlighted, in bytes: the lexers take two
// milliseconds a kilobyte, and the input must not wait for them.
const maxHighlight = 8 << 10

// highlight paints code line by line. Code in an unknown language, or a great deal
// of it, stays plain.
func (t *theme) highlight(code, language string) []string {
	code = clean(strings.TrimRight(code, "\n"))
	lexer := lexerFor(language)
	if lexer == nil || len(code) > maxHighlight || t.keyword.on == "" {
		return strings.Split(code, "\n")
	}
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil {
		return strings.Split(code, "\n")
	}
	var lines []string
	var line strings.Builder
	for token := tokens(); token != chroma.EOF; token = tokens() {
		style := t.tokenPaint(token.Type)
		for i, part := range strings.Split(token.Value, "\n") {
			if i > 0 {
				lines = append(lines, line.String())
				line.Reset()
			}
			line.WriteString(style.text(part))
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
	if lexer := lexers.Get(language); lexer != nil {
		return chroma.Coalesce(lexer)
	}
	return nil
}

// tokenPaint maps the kinds of token to the few paints that help reading.
func (t *theme) tokenPaint(kind chroma.TokenType) paint {
	switch {
	case kind == chroma.KeywordType || kind == chroma.NameClass || kind == chroma.NameBuiltin:
		return t.typeName
	case kind.InCategory(chroma.Keyword) || kind == chroma.NameTag:
		return t.keyword
	case kind.InSubCategory(chroma.LiteralNumber):
		return t.number
	case kind.InCategory(chroma.Literal):
		return t.literal
	case kind.InCategory(chroma.Comment):
		return t.comment
	case kind == chroma.NameFunction || kind == chroma.NameAttribute:
		return t.name
	case kind == chroma.GenericInserted:
		return t.added
	case kind == chroma.GenericDeleted:
		return t.removed
	case kind.InCategory(chroma.Generic):
		return t.hunk
	}
	return t.plain
}
