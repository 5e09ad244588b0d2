package term

import "testing"

// A terminal receives only the notification sequence that it is known to support.
func TestNotification(t *testing.T) {
	t.Parallel()
	const titled, one = "\x1b]777;notify;agent, here;run a, b\x1b\\", "\x1b]9;agent; here: run a; b\x1b\\"
	for _, tt := range []struct {
		name    string
		environ []string
		want    string
	}{
		{"urxvt", []string{"TERM=rxvt-unicode-256color"}, titled},
		{"foot", []string{"TERM=foot"}, titled},
		{"foot, started from iTerm2", []string{"TERM=foot-direct", "TERM_PROGRAM=iTerm.app"}, titled},
		{"WezTerm", []string{"TERM=xterm-256color", "TERM_PROGRAM=WezTerm"}, titled},
		{"Ghostty", []string{"TERM=xterm-ghostty"}, titled},
		{"Ghostty as xterm", []string{"TERM=xterm-256color", "TERM_PROGRAM=ghostty"}, titled},
		{"iTerm2", []string{"TERM=xterm-256color", "TERM_PROGRAM=iTerm.app"}, one},
		{"iTerm2 over SSH", []string{"TERM=xterm-256color", "LC_TERMINAL=iTerm2"}, one},
		{"kitty", []string{"TERM=xterm-kitty"}, one},
		{"tmux in iTerm2", []string{"TERM=tmux-256color", "LC_TERMINAL=iTerm2"}, ""},
		{"tmux that calls itself xterm", []string{"TERM=xterm-256color", "TMUX=/tmp/t", "LC_TERMINAL=iTerm2"}, ""},
		{"screen", []string{"TERM=screen", "TERM_PROGRAM=WezTerm"}, ""},
		{"xterm", []string{"TERM=xterm-256color"}, ""},
	} {
		env := func(key string) string { return Lookup(tt.environ, key) }
		if got := NotificationSequence(env, false, "agent; here", "run a; b"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
