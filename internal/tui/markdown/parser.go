package markdown

import (
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// newParser returns goldmark's parser with the three marks of GitHub's dialect that
// models write: tables, strikethrough and tasks. They are read here, since goldmark's
// package for them compiles the patterns of all its dialects and its HTML when the
// program starts, whatever the program is to do: a quarter of what starting took. Its
// tree is the same, and the tests hold each against the other.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(util.Prioritized(taskParser{}, 0), util.Prioritized(strikeParser{}, 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(util.Prioritized(tableParser{}, 200)),
	)
}
