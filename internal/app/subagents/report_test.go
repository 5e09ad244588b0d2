package subagents

import "testing"

// A report contains no control characters, whatever the subagent's model wrote.
func TestReportsHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	keep := func(string) (string, error) { return "", nil }
	got := FitReport("head\n", "a\x1b]0;t\x07\tb\r\n\u009b2J\x00 c\u200cd", 1000, func(text string) int { return len(text) }, keep)
	if want := "head\na]0;t\tb\n2J c\u200cd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
