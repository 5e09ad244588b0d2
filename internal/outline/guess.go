package outline

import (
	"context"
	"fmt"
	"strings"

	"github.com/alecthomas/chroma/v2"

	"agent/internal/base/lazyregexp"
	"agent/internal/base/lexer"
	"agent/internal/text/lines"
)

// guessedDeclarations finds declarations by a pattern for each kind, and their ends by braces or
// indentation. It first replaces comments and strings by blanks, so that their text is not mistaken
// for code.
func guessedDeclarations(ctx context.Context, rel, text string) ([]Declaration, string, error) {
	l, ok := languageOf(rel)
	if !ok {
		return nil, "", fmt.Errorf("no outline for %s: unknown language; use read_file or search_file_content", rel)
	}
	code, err := codeOnly(ctx, rel, text)
	if err != nil {
		return nil, "", err
	}
	g := &guess{language: l, lines: lines.Split(text), code: lines.Split(code)}
	return g.declarations(), l.name + ", guessed by " + l.ends.by, nil
}

// guess is a file being outlined.
type guess struct {
	language language
	// lines are the lines of the file.
	lines []string
	// code has the same lines, with comments and strings replaced by blanks.
	code []string
}

func (g *guess) declarations() []Declaration {
	starts := lineStarts(g.lines)
	var found, open []Declaration
	for i, line := range g.lines {
		name, ok := g.language.declares(g.code[i])
		if !ok {
			continue
		}
		for len(open) > 0 && open[len(open)-1].End <= starts[i] {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			name = open[len(open)-1].Name + "." + name
		}
		d := Declaration{Name: name, Start: starts[i], Head: starts[i], End: starts[g.language.ends.last(g.code, i)+1]}
		d.heading = strings.TrimRight(line, " \t\n{")
		found, open = append(found, d), append(open, d)
		if len(found) == maxDeclarations {
			break
		}
	}
	return found
}

// maxDeclarations limits the number of declarations. It also limits the time to find their ends in
// a file whose braces do not match.
const maxDeclarations = 3000

// lineStarts returns the offset of each line, followed by the offset of the end.
func lineStarts(list []string) []int {
	starts := make([]int, 0, len(list)+1)
	at := 0
	for _, line := range list {
		starts = append(starts, at)
		at += len(line)
	}
	return append(starts, at)
}

// codeOnly replaces comments and strings by spaces and keeps the line breaks.
func codeOnly(ctx context.Context, rel, text string) (string, error) {
	lexer := lexer.ForFile(rel)
	if lexer == nil {
		return text, nil
	}
	// The lexer would treat a lone carriage return as a line break.
	tokens, err := lexer.Tokenise(nil, strings.ReplaceAll(text, "\r", " "))
	if err != nil {
		return "", fmt.Errorf("no outline for %s: %w", rel, err)
	}
	var code strings.Builder
	for t := tokens(); t != chroma.EOF; t = tokens() {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		// Chroma classifies directives of C as comments, but they contain code.
		if t.Type.InSubCategory(chroma.CommentPreproc) || !t.Type.InCategory(chroma.Comment) && !t.Type.InSubCategory(chroma.LiteralString) {
			code.WriteString(t.Value)
			continue
		}
		code.WriteString(notLineFeed.ReplaceAllString(t.Value, " "))
	}
	if strings.Count(code.String(), "\n") < strings.Count(text, "\n") {
		return "", fmt.Errorf("no outline for %s: can't recognize its comments; use read_file", rel)
	}
	return code.String(), nil
}

var notLineFeed = lazyregexp.New(`[^\n]`)
