package style

import "testing"

func TestDetectColours(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		environ map[string]string
		want    Colours
	}{
		{map[string]string{"TERM": "xterm-256color"}, Colours256},
		{map[string]string{"TERM": "xterm"}, Colours16},
		{map[string]string{"TERM": "linux"}, Colours16},
		{map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, TrueColours},
		{map[string]string{"TERM": "screen-256color", "COLORTERM": "truecolor"}, Colours256},
		{map[string]string{"TERM": "xterm-256color", "NO_COLOR": "1"}, NoColours},
		{map[string]string{"TERM": "dumb", "COLORTERM": "truecolor"}, NoColours},
		{nil, NoColours},
	} {
		if got := DetectColours(func(key string) string { return tt.environ[key] }); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.environ, got, tt.want)
		}
	}
}
