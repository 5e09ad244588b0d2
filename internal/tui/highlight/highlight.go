// Package highlight styles source code.
package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"agent/internal/base/lexer"
	"agent/internal/tui/style"
)

// maxHighlight is the largest code that is highlighted, in bytes. Lexers need two milliseconds per
// kilobyte, which delays the input.
const maxHighlight = 8 << 10

// Lines styles code line by line. Code stays plain if its language is unknown or it is longer than
// maxHighlight.
func Lines(t *style.Theme, code, language string) []string {
	var lines []string
	for _, spans := range Spans(t, style.Clean(strings.TrimSuffix(code, "\n")), language) {
		lines = append(lines, spans.String())
	}
	return lines
}

// Spans returns each line of the code as spans, styled by the kind of token. The code must be the result of
// style.Clean. language is a name or a path with a known extension.
func Spans(t *style.Theme, code, language string) []style.Spans {
	found := lexerFor(language)
	if found == nil || len(code) > maxHighlight || t.Keyword.On == "" {
		return plain(code)
	}
	tokens, err := found.Tokenise(nil, code)
	if err != nil {
		return plain(code)
	}
	var lines []style.Spans
	var line style.Spans
	for token := tokens(); token != chroma.EOF; token = tokens() {
		look := tokenStyle(t, token.Type)
		for i, part := range strings.Split(token.Value, "\n") {
			if i > 0 {
				lines = append(lines, line)
				line = nil
			}
			if part != "" {
				line = append(line, style.Span{Text: part, Style: look})
			}
		}
	}
	// Lexers append a line end to the code if it has none.
	if len(line) > 0 || len(lines) <= strings.Count(code, "\n") {
		lines = append(lines, line)
	}
	return lines
}

func plain(code string) []style.Spans {
	var lines []style.Spans
	for line := range strings.SplitSeq(code, "\n") {
		lines = append(lines, style.Spans{{Text: line}})
	}
	return lines
}

// lexerFor returns the lexer for the language of a fence or for a path, or nil if there is none.
func lexerFor(language string) chroma.Lexer {
	if language == "" || len(language) > 256 {
		return nil
	}
	found := lexer.ByName(language)
	if found == nil && strings.ContainsAny(language, "./") {
		found = lexer.ForFile(language)
	}
	if found == nil {
		return nil
	}
	return chroma.Coalesce(found)
}

// tokenStyle maps the kinds of token to a few styles.
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
