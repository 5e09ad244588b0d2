// Package share exports a recorded conversation as Markdown, or as one HTML page for other people.
// The page has no scripts and external resources. It contains neither secrets nor the path of the
// home folder.
package share

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/history"
)

// A Replacement is one line in which a secret was replaced.
type Replacement struct {
	// Where names the part of the conversation. Line is the line after the replacement.
	Where, Line string
}

// Replacements describes what was replaced.
type Replacements struct {
	// Lines lists the lines in which secrets were replaced. Homes is the number of paths of the
	// home folder that were replaced.
	Lines []Replacement
	Homes int
}

// A cleaner replaces text that other people must not see, and records what it replaced.
type cleaner struct {
	Replacements
	// home is the home folder, and at is its replacement.
	home, at string
	// count counts tokens. lines maps replaced lines to their replacements. A Document uses both.
	count func(string) int
	// off is set if nothing is replaced.
	off   bool
	lines map[string]string
}

// text returns the text of a part without secrets and home paths.
func (c *cleaner) text(where, text string) string {
	if c.off {
		return text
	}
	text = c.withoutHome(text)
	clean := secret.Redact(text)
	if clean == text {
		return text
	}
	before := strings.Split(text, "\n")
	for line := range strings.SplitSeq(clean, "\n") {
		if strings.Contains(line, secret.Placeholder) && !slices.Contains(before, line) {
			c.Lines = append(c.Lines, Replacement{where, humanize.Line(strings.TrimSpace(line), 100)})
		}
	}
	return clean
}

// withoutHome shortens the paths of the home folder. A path that only begins with the same letters
// stays unchanged.
func (c *cleaner) withoutHome(text string) string {
	if len(c.home) < 2 {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, c.home)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after != "" && isName(after[0]) {
			b.WriteString(c.home)
		} else {
			b.WriteString(c.at)
			c.Homes++
		}
		text = after
	}
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// arguments returns the arguments of a call as cleaned lines. It cleans each string by itself,
// because the quotes around a JSON string hide a secret from the search.
func (c *cleaner) arguments(where string, call *history.ToolCall) string {
	var arguments any
	decoder := json.NewDecoder(bytes.NewReader(call.Parameters))
	decoder.UseNumber()
	if decoder.Decode(&arguments) != nil {
		return c.text(where, string(call.Parameters))
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(c.value(where, "", arguments)) != nil {
		return ""
	}
	return lineBreaks.Replace(strings.TrimSpace(b.String()))
}

// lineBreaks turns the escape \n in a JSON string into a line break. It leaves an escaped backslash
// before n unchanged.
var lineBreaks = strings.NewReplacer(`\\`, `\\`, `\n`, "\n")

// value returns a JSON value without secrets. name is the name of its member.
func (c *cleaner) value(where, name string, value any) any {
	switch value := value.(type) {
	case string:
		if !c.off && len(value) >= shortestValue && secret.IsSecretName(name) {
			c.Lines = append(c.Lines, Replacement{where, name + ": " + secret.Placeholder})
			return secret.Placeholder
		}
		return c.text(where, value)
	case []any:
		for i := range value {
			value[i] = c.value(where, name, value[i])
		}
	case map[string]any:
		for _, key := range slices.Collect(maps.Keys(value)) {
			member := c.value(where, key, value[key])
			delete(value, key)
			value[c.text(where, key)] = member
		}
	}
	return value
}

// shortestValue is the least length, in bytes, of a value that is replaced because its member has
// the name of a secret.
const shortestValue = 8

// Report returns the replacements as lines of text.
func (p *Replacements) Report() []string {
	lines := []string{fmt.Sprintf("%s replaced; the path of the home folder shortened in %s", humanize.Count(len(p.Lines), "secret"), humanize.Count(p.Homes, "place"))}
	for _, r := range p.Lines {
		lines = append(lines, "  "+r.Where+": "+r.Line)
	}
	return lines
}
