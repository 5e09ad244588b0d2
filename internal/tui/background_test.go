package tui

import (
	"testing"
	"time"

	"github.com/muesli/termenv"
)

func TestIsDark(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer      string
		dark, known bool
	}{
		{"rgb:0000/0000/0000", true, true},
		{"rgb:ffff/ffff/ffff", false, true},
		{"rgb:fdf6/e3e3/d5d5", false, true},
		{"rgb:1e/1e/2e", true, true},
		{"rgba:ffff/ffff/ffff/8000", false, true},
		{"rgb:zz/00/00", false, false},
		{"#ffffff", false, false},
		{"", false, false},
		{"rgb://", false, false},
	} {
		if dark, known := isDark(tt.answer); dark != tt.dark || known != tt.known {
			t.Errorf("isDark(%q) = %v, %v", tt.answer, dark, known)
		}
	}
}

func TestDeclaredBackground(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value       string
		dark, known bool
	}{{"15;0", true, true}, {"0;15", false, true}, {"0;default;15", false, true}, {"12;8", true, true}, {"0;7", false, true}, {"", false, false}, {"x;y", false, false}} {
		if dark, known := declaredBackground(tt.value); dark != tt.dark || known != tt.known {
			t.Errorf("declaredBackground(%q) = %v, %v", tt.value, dark, known)
		}
	}
}

func TestBackgroundAnswerCountsOnlyInTime(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.profile = termenv.ANSI
	s.clock = s.clock.Add(50 * time.Millisecond)
	s.update(backgroundMsg{dark: false})
	if s.model.dark {
		t.Error("an answer in time was not used")
	}
	s = newScreenplay(t, 60, 24)
	s.clock = s.clock.Add(time.Second)
	s.update(backgroundMsg{dark: false})
	if !s.model.dark {
		t.Error("a late answer changed the colours")
	}
}

func TestThemeFollowsTheSetting(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	set := themeDark
	s.model.opts.Theme = func() string { return set }
	s.model.chooseTheme()
	set = themeLight
	s.typed("/help")
	s.press("enter")
	if s.model.dark {
		t.Error("the theme set by a command is not used")
	}
}

func TestColourProfile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		environ []string
		want    termenv.Profile
	}{
		{[]string{"TERM=xterm-256color"}, termenv.ANSI256},
		{[]string{"TERM=xterm-256color", "COLORTERM=truecolor"}, termenv.TrueColor},
		{[]string{"TERM=xterm-256color", "NO_COLOR=1"}, termenv.Ascii},
		{[]string{"TERM=dumb"}, termenv.Ascii},
	} {
		if got := colourProfile(tt.environ, true); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.environ, got, tt.want)
		}
	}
}
