package input

import "testing"

// The first word of a line ends at a blank or at the end of the line.
func TestFirstWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"/set a": "/set", "/set\na": "/set", "/set": "/set", "": ""} {
		if got := FirstWord(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
