package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// An Expression is a pattern that is matched against single lines.
type Expression struct {
	pattern *regexp.Regexp
	// literals is a set of texts of which every match contains at least one. It is empty if there
	// is no such set. Only lines with a literal are matched with the pattern, because that is slow.
	literals []literal
}

// Parse parses a pattern. The error describes the mistake in the pattern.
func Parse(pattern string) (*Expression, error) {
	if pattern == "" {
		return nil, errors.New("pattern is empty")
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w (RE2 syntax: no look-around, no back-references; escape ( [ { . * + ? | \\ to search for them)", err)
	}
	// Without OneLine, ^ and $ match at the ends of each line, as if each line were searched
	// separately.
	tree, err := syntax.Parse(pattern, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	if anyNode(tree, func(node *syntax.Regexp) bool { return node.Op == syntax.OpLiteral && slices.Contains(node.Rune, '\n') }) {
		return nil, errors.New("pattern contains a newline, but lines are searched one at a time; search for one of the lines")
	}
	return &Expression{pattern: compiled, literals: requiredLiterals(tree.Simplify())}, nil
}

// anyNode reports whether the function is returns true for any part of an expression.
func anyNode(node *syntax.Regexp, is func(*syntax.Regexp) bool) bool {
	return is(node) || slices.ContainsFunc(node.Sub, func(sub *syntax.Regexp) bool { return anyNode(sub, is) })
}
