package style

import "testing"

func TestDetectColors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		environ map[string]string
		want    Colors
	}{
		{map[string]string{"TERM": "xterm-256color"}, Colors256},
		{map[string]string{"TERM": "xterm"}, Colors16},
		{map[string]string{"TERM": "linux"}, Colors16},
		{map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, TrueColors},
		{map[string]string{"TERM": "screen-256color", "COLORTERM": "truecolor"}, Colors256},
		{map[string]string{"TERM": "xterm-256color", "NO_COLOR": "1"}, NoColors},
		{map[string]string{"TERM": "dumb", "COLORTERM": "truecolor"}, NoColors},
		{nil, NoColors},
	} {
		if got := DetectColors(func(key string) string { return tt.environ[key] }); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.environ, got, tt.want)
		}
	}
}
