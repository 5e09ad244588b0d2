package history

import (
	"strings"
	"testing"
)

func TestAsksFor(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"read cmd/main.go": true,
		"@main.go":         true,
		"read it":          false,
		"fix main.go:12" + strings.Repeat(" and", 300): false,
	} {
		if got := AsksFor(message, "/w/cmd/main.go"); got != want {
			t.Errorf("%.40q asks for the file: %t", message, got)
		}
	}
}
