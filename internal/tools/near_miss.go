package tools

import (
	"errors"
	"fmt"
	"strings"

	"agent/internal/pattern"
	"agent/internal/text/lines"
	"agent/internal/text/textdiff"
)

// notFound explains why old is not in text: with a known mistake when there is
// one, else with the closest lines.
func notFound(rel, text, old, replacement string) error {
	head := fmt.Sprintf("old_string was not found in %s; nothing was written. ", rel)
	if mistake := knownMistake(text, old, replacement); mistake != "" {
		return errors.New(head + mistake)
	}
	have, wanted := lines.Split(text), lines.Split(old)
	near := textdiff.Near(have, wanted, "old_string")
	if near == "" {
		return errors.New(head + "No lines of the file are close to it; read the file again")
	}
	return errors.New(head + near)
}

var lineNumber = pattern.New(`(?m)^ *\d+\|`)

// knownMistake recognises what models do to a text they copy.
func knownMistake(text, old, replacement string) string {
	unescaped := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(old)
	switch bare := lineNumber.ReplaceAllString(old, ""); {
	case bare != old && strings.Contains(text, bare):
		return "It carries line numbers; leave out the NUMBER| before each line"
	case unescaped != old && strings.Contains(text, unescaped):
		return `It is escaped once too often: write line feeds, tabs and quotes as they are in the file, not as \n, \t, \"`
	case len(replacement) > len(old)/2 && strings.TrimSpace(replacement) != "" && strings.Contains(text, replacement):
		return fmt.Sprintf("new_string is already there, at line %d: the edit seems to have been made", lines.At(text, strings.Index(text, replacement)))
	}
	return ""
}
