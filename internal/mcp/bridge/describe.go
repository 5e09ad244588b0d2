package bridge

import (
	"fmt"
	"strings"

	"agent/internal/mcp/catalogue"
	"agent/internal/table"
	"agent/internal/words"
)

// Describe says all that is known of a server.
func (s Status) Describe() []string {
	lines := []string{s.Name + ": " + s.Says(), "in " + s.Place()}
	for _, line := range s.Lines() {
		lines = append(lines, "  "+line)
	}
	if s.Known.Version != "" {
		lines = append(lines, "it is "+s.Known.Version)
	}
	return append(lines, Describe(s.Known)...)
}

// Describe lists what a server offers.
func Describe(k catalogue.Known) []string {
	var lines []string
	if len(k.Tools) > 0 {
		lines = append(lines, fmt.Sprintf("tools, about %s tokens:", words.Tokens(k.Tokens())))
	}
	rows := [][]string{}
	for _, t := range k.Tools {
		note := words.Line(words.FirstLine(t.Description), 80)
		if t.Long {
			note = "(long: by search only) " + note
		}
		rows = append(rows, []string{"  " + t.Shown, words.Tokens(t.Tokens()), note})
	}
	lines = append(lines, table.Lines("lrl", rows)...)
	for _, t := range k.Tools {
		if old, changed := k.Changed[t.Name]; changed {
			lines = append(lines, t.Shown+" has changed; a call that you allow accepts it:")
			lines = append(lines, strings.Split(Difference(old, t), "\n")...)
		}
	}
	for _, p := range k.Prompts {
		lines = append(lines, "prompt "+p.Name+": "+p.Description)
	}
	if n := len(k.Resources); n > 0 {
		lines = append(lines, words.Count(n, "resource"))
	}
	return append(lines, k.Problems...)
}
