// Package dialect parses Markdown as models write it: CommonMark with the tables, strikethrough and
// tasks of GitHub.
package dialect

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// NewParser returns goldmark's parser with the three marks of GitHub's dialect that models write:
// tables, strikethrough and tasks. They are parsed here because goldmark's own package compiles
// the patterns of all its dialects whenever the program starts, which is a fifth of the memory
// for starting. The tree is the same: TestDialectIsGoldmarks compares the two.
func NewParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(util.Prioritized(taskParser{}, 0), util.Prioritized(strikeParser{}, 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(util.Prioritized(tableParser{}, 200)),
	)
}

// strikeParser parses ~text~ and ~~text~~.
type strikeParser struct{}

// Trigger implements parser.InlineParser.
func (strikeParser) Trigger() []byte { return []byte{'~'} }

// Parse implements parser.InlineParser.
func (strikeParser) Parse(_ ast.Node, block text.Reader, context parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	mark := parser.ScanDelimiter(line, before, 1, strikeDelimiter{})
	if mark == nil || mark.OriginalLength > 2 || before == '~' {
		return nil
	}
	mark.Segment = segment.WithStop(segment.Start + mark.OriginalLength)
	block.Advance(mark.OriginalLength)
	context.PushDelimiter(mark)
	return mark
}

// strikeDelimiter tells goldmark, which pairs the marks of a paragraph, which tildes form a pair.
type strikeDelimiter struct{}

// IsDelimiter implements parser.DelimiterProcessor.
func (strikeDelimiter) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (strikeDelimiter) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements parser.DelimiterProcessor.
func (strikeDelimiter) OnMatch(int) ast.Node { return extast.NewStrikethrough() }

// taskParser parses the box at the beginning of a list item: [ ] or [x].
type taskParser struct{}

// Trigger implements parser.InlineParser.
func (taskParser) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (taskParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if item, ok := parent.Parent().(*ast.ListItem); !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || line[2] != ']' {
		return nil
	}
	checked := line[1] == 'x' || line[1] == 'X'
	if !checked && !util.IsSpace(line[1]) {
		return nil
	}
	block.Advance(3 + util.TrimLeftSpaceLength(line[3:]))
	return extast.NewTaskCheckBox(checked)
}
