package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// Expression is a pattern to look for in single lines.
type Expression struct {
	pattern *regexp.Regexp
	// literals are texts of which every match holds one; none when there are no such
	// texts. Only lines that hold one are matched with the pattern, which is slow.
	literals []literal
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
	return &Expression{pattern: compiled, literals: requiredLiterals(tree.Simplify())}, nil
}

// anyNode reports whether is holds for any part of an expression.
func anyNode(node *syntax.Regexp, is func(*syntax.Regexp) bool) bool {
	return is(node) || slices.ContainsFunc(node.Sub, func(sub *syntax.Regexp) bool { return anyNode(sub, is) })
}
