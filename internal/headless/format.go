// Package headless reports the events of a turn to a script: the answer as text, one
// JSON object at the end, or a stream of JSON lines. What is for people is written to
// the error stream.
package headless

import (
	"fmt"
	"slices"
	"strings"
)

// Format is a headless output format.
type Format string

// The output formats of a headless run.
const (
	// Text prints the final answer only.
	Text Format = "text"
	// JSON prints one object at the end.
	JSON Format = "json"
	// StreamJSON prints one object a line as things happen.
	StreamJSON Format = "stream-json"
)

// Formats lists the formats in the order they are offered.
func Formats() []Format { return []Format{Text, JSON, StreamJSON} }

// ParseFormat returns the format called name, in any case. The error lists the
// valid ones.
func ParseFormat(name string) (Format, error) {
	if f := Format(strings.ToLower(name)); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fmt.Errorf("unknown output format %q; choose one of %s", name, FormatNames())
}

// FormatNames lists the formats for messages.
func FormatNames() string {
	names := make([]string, 0, len(Formats()))
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}
