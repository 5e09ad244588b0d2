package markdown

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// strikeParser reads ~text~ and ~~text~~.
type strikeParser struct{}

// Trigger implements goldmark's InlineParser.
func (strikeParser) Trigger() []byte { return []byte{'~'} }

// Parse implements goldmark's InlineParser.
func (strikeParser) Parse(_ ast.Node, block text.Reader, context parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, strikeDelimiter{})
	if node == nil || node.OriginalLength > 2 || before == '~' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	context.PushDelimiter(node)
	return node
}

// strikeDelimiter pairs the tildes, which goldmark does for all marks of a line at once.
type strikeDelimiter struct{}

// IsDelimiter implements goldmark's DelimiterProcessor.
func (strikeDelimiter) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser implements goldmark's DelimiterProcessor.
func (strikeDelimiter) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements goldmark's DelimiterProcessor.
func (strikeDelimiter) OnMatch(int) ast.Node { return extast.NewStrikethrough() }

// taskParser reads the box that a list's item may begin with: [ ] or [x].
type taskParser struct{}

// Trigger implements goldmark's InlineParser.
func (taskParser) Trigger() []byte { return []byte{'['} }

// Parse implements goldmark's InlineParser.
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
