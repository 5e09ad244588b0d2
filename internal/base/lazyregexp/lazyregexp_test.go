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

// An expression that is none is found out when it is used, not at the start.
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
