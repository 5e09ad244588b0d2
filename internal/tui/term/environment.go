package term

import (
	"slices"
	"strings"
)

// Lookup returns the value of a variable of an environment of "KEY=value"; the
// last one wins.
func Lookup(environ []string, key string) string {
	for _, pair := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			return value
		}
	}
	return ""
}
