// Package lazyregexp holds regular expressions that are compiled at first use. Compiling all of the
// program's expressions at startup would take longer than the rest of the startup.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression in the syntax of regexp. Its methods are safe for concurrent
// use, and panic if the expression is invalid, as regexp.MustCompile does.
type Pattern struct {
	expression string
	once       sync.Once
	expr       *regexp.Regexp
}

// New returns a pattern for an expression, which is not compiled yet.
func New(expression string) *Pattern {
	return &Pattern{expression: expression} // one allocation, because all patterns are created at every start
}

// compiled returns the compiled expression. It compiles the expression at the first call.
func (p *Pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.expr = regexp.MustCompile(p.expression) })
	return p.expr
}

// MatchString calls [regexp.Regexp.MatchString].
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindStringSubmatch calls [regexp.Regexp.FindStringSubmatch].
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindAllStringSubmatch calls [regexp.Regexp.FindAllStringSubmatch].
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// FindAllSubmatchIndex calls [regexp.Regexp.FindAllSubmatchIndex].
func (p *Pattern) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return p.compiled().FindAllSubmatchIndex(b, n)
}

// FindSubmatchIndex calls [regexp.Regexp.FindSubmatchIndex].
func (p *Pattern) FindSubmatchIndex(b []byte) []int { return p.compiled().FindSubmatchIndex(b) }

// FindStringSubmatchIndex calls [regexp.Regexp.FindStringSubmatchIndex].
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

// SubexpNames calls [regexp.Regexp.SubexpNames].
func (p *Pattern) SubexpNames() []string { return p.compiled().SubexpNames() }

// ReplaceAllString calls [regexp.Regexp.ReplaceAllString].
func (p *Pattern) ReplaceAllString(s, by string) string {
	return p.compiled().ReplaceAllString(s, by)
}

// ReplaceAllStringFunc calls [regexp.Regexp.ReplaceAllStringFunc].
func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, by)
}
