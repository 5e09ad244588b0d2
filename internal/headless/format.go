// Package headless reports the events of a turn to a script: the answer as text, one
// JSON object at the end, or a stream of JSON lines. What is for people is written to
// the error stream.
package headless

import (
	"fmt"
	"slices"
	"strings"
)

// The output formats of a headless run.
const (
	// Text prints the final answer only.
	Text = "text"
	// JSON prints one object at the end.
	JSON = "json"
	// StreamJSON prints one object a line as things happen.
	StreamJSON = "stream-json"
)

// Formats are the formats in the order they are offered.
var Formats = []string{Text, JSON, StreamJSON}

// ParseFormat returns the format called name, in any case. The error lists the
// valid ones.
func ParseFormat(name string) (string, error) {
	if format := strings.ToLower(name); slices.Contains(Formats, format) {
		return format, nil
	}
	return "", fmt.Errorf("unknown output format %q; choose one of %s", name, strings.Join(Formats, ", "))
}
