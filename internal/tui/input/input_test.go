package input

import "testing"

// A command word ends with its line as well.
func TestFirstWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"/set a": "/set", "/set\na": "/set", "/set": "/set", "": ""} {
		if got := FirstWord(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
