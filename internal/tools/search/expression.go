package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Expression is a pattern to look for in single lines.
type Expression struct {
	pattern *regexp.Regexp
	// rust means the same to Rust's engine, which ripgrep uses; empty when that
	// cannot be said.
	rust string
	// literal is part of every match, empty when there is no such text. It is in
	// lower case when fold says that case does not matter.
	literal string
	fold    bool
}

// Parse reads a pattern. The error says what is wrong with it.
func Parse(pattern string) (*Expression, error) {
	if pattern == "" {
		return nil, errors.New("pattern is empty")
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w (RE2 syntax: no look-around, no back-references; escape ( [ { . * + ? | \\ to search for them)", err)
	}
	// Without OneLine, ^ and $ are about lines, as they are when each line is
	// searched by itself.
	tree, err := syntax.Parse(pattern, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	if anyNode(tree, func(node *syntax.Regexp) bool { return node.Op == syntax.OpLiteral && slices.Contains(node.Rune, '\n') }) {
		return nil, errors.New("pattern holds a newline, but each line is searched by itself; search for one of the lines")
	}
	tree = tree.Simplify()
	found := &Expression{pattern: compiled, rust: rustSyntax(tree)}
	found.literal, found.fold = requiredLiteral(tree)
	return found, nil
}

// anyNode reports whether is holds for any part of an expression.
func anyNode(node *syntax.Regexp, is func(*syntax.Regexp) bool) bool {
	return is(node) || slices.ContainsFunc(node.Sub, func(sub *syntax.Regexp) bool { return anyNode(sub, is) })
}

// rustSyntax writes an expression so that Rust's engine reads it like ours. The
// written form of a parsed expression has its classes spelled out, which leaves
// one difference: word boundaries, which are about ASCII here.
func rustSyntax(tree *syntax.Regexp) string {
	aboutText := func(node *syntax.Regexp) bool {
		return node.Op == syntax.OpBeginText || node.Op == syntax.OpEndText
	}
	if anyNode(tree, aboutText) {
		return ""
	}
	written := tree.String()
	var rust strings.Builder
	for i := 0; i < len(written); i++ {
		if written[i] != '\\' || i+1 == len(written) {
			rust.WriteByte(written[i])
			continue
		}
		i++
		if written[i] == 'b' || written[i] == 'B' {
			rust.WriteString(`(?-u:\` + written[i:i+1] + `)`)
			continue
		}
		rust.WriteString(written[i-1 : i+1])
	}
	return rust.String()
}

// requiredLiteral returns the longest text that every match of the expression
// holds, as far as that is easily seen.
func requiredLiteral(node *syntax.Regexp) (literal string, fold bool) {
	switch node.Op {
	case syntax.OpLiteral:
		if node.Flags&syntax.FoldCase == 0 {
			return string(node.Rune), false
		}
		return longestFoldable(node.Rune), true
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range node.Sub {
			if text, folded := requiredLiteral(sub); len(text) > len(literal) {
				literal, fold = text, folded
			}
		}
	case syntax.OpRepeat:
		if node.Min > 0 {
			return requiredLiteral(node.Sub[0])
		}
	}
	return literal, fold
}

// longestFoldable returns, in lower case, the longest run of characters that have
// no other form than their ASCII capitals. k and s have: the Kelvin sign and the
// long s.
func longestFoldable(text []rune) string {
	foldable := func(r rune) bool {
		return r < unicode.MaxASCII && !strings.ContainsRune("kKsS", r)
	}
	longest := ""
	for _, run := range strings.FieldsFunc(string(text), func(r rune) bool { return !foldable(r) }) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	return strings.ToLower(longest)
}
