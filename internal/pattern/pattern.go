// Package pattern holds regular expressions that are compiled when they are first
// used. Those of a whole program, compiled while it starts, take longer than
// everything else it does then.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression as regexp has it. Its methods are safe for
// concurrent use and panic when the expression is none, as regexp.MustCompile does.
type Pattern struct {
	compiled func() *regexp.Regexp
}

// New returns the pattern of an expression.
func New(expression string) *Pattern {
	return &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString is regexp.Regexp's.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindStringSubmatch is regexp.Regexp's.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindAllStringSubmatch is regexp.Regexp's.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// FindSubmatchIndex is regexp.Regexp's.
func (p *Pattern) FindSubmatchIndex(b []byte) []int { return p.compiled().FindSubmatchIndex(b) }

// SubexpNames is regexp.Regexp's.
func (p *Pattern) SubexpNames() []string { return p.compiled().SubexpNames() }

// ReplaceAllString is regexp.Regexp's.
func (p *Pattern) ReplaceAllString(s, by string) string {
	return p.compiled().ReplaceAllString(s, by)
}

// ReplaceAllStringFunc is regexp.Regexp's.
func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, by)
}
