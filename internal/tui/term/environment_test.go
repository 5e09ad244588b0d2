package term

import (
	"testing"

	"github.com/muesli/termenv"
)

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
		if got := ColourProfile(tt.environ, true); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.environ, got, tt.want)
		}
	}
}
