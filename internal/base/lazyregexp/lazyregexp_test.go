package lazyregexp

import (
	"slices"
	"testing"
)

func TestPattern(t *testing.T) {
	t.Parallel()
	p := New(`(a)(\d)`)
	if !p.MatchString("xa1") || p.MatchString("b") || p.ReplaceAllString("a1a2", "$2") != "12" {
		t.Error("it does not match as regexp does")
	}
	if got := p.FindStringSubmatch("a1"); !slices.Equal(got, []string{"a1", "a", "1"}) {
		t.Error(got)
	}
}

// An invalid expression panics at its first use, not at the start.
func TestWrongPattern(t *testing.T) {
	t.Parallel()
	p := New("(")
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	p.MatchString("")
}
