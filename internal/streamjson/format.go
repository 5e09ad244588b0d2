// Package streamjson reports the events of a turn to a script.
//
// A Printer writes a run in one of the Formats: the answer as text, a JSON object at the end, or a stream
// of JSON lines. It writes messages for people to the error stream. ReadInput reads the JSON lines that a
// script sends during a run, as Input. Result is the object that ends a run. The unexported line types
// describe the stream. EventsSchema, InputSchema and ResultSchema describe all of these formats for
// scripts. Package script creates the Printer and passes the events of the conversation to it.
package streamjson

import (
	"fmt"
	"slices"
	"strings"
)

// Output formats of a non-interactive run.
const (
	// FormatText prints only the final answer.
	FormatText = "text"
	// FormatJSON prints one object at the end.
	FormatJSON = "json"
	// FormatStreamJSON prints one object per line as events happen.
	FormatStreamJSON = "stream-json"
)

// Formats lists the formats in the order in which help shows them.
var Formats = []string{FormatText, FormatJSON, FormatStreamJSON}

// ParseFormat returns the format with a name, ignoring upper and lower case. If there is none, the error
// lists the valid formats.
func ParseFormat(name string) (string, error) {
	if format := strings.ToLower(name); slices.Contains(Formats, format) {
		return format, nil
	}
	return "", fmt.Errorf("unknown output format %q; choose one of %s", name, strings.Join(Formats, ", "))
}
