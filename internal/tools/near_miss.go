package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/pattern"
	"agent/internal/text/lines"
	"agent/internal/text/textdiff"
)

// nearLines is how many lines of a close place are shown.
const nearLines = 30

// notFound explains why old is not in text: with a known mistake when there is
// one, else with the closest lines.
func notFound(rel, text, old, replacement string) error {
	head := fmt.Sprintf("old_string was not found in %s; nothing was written. ", rel)
	if mistake := knownMistake(text, old, replacement); mistake != "" {
		return errors.New(head + mistake)
	}
	have, wanted := lines.Split(text), lines.Split(old)
	places := textdiff.Closest(have, wanted)
	if len(places) == 0 {
		return errors.New(head + "No lines of the file are close to it; read the file again")
	}
	var out strings.Builder
	out.WriteString(head + "The closest lines, as NUMBER|TEXT:\n")
	for i, start := range places {
		if i > 0 {
			out.WriteString("…\n")
		}
		end := min(start+min(len(wanted), nearLines), len(have))
		out.WriteString(lines.Number(cutLines(have[start:end]), start+1))
	}
	out.WriteString(firstDifference(have, wanted, places[0]))
	return errors.New(strings.ToValidUTF8(out.String(), "\uFFFD"))
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

// firstDifference points at the first line that differs in the closest place.
func firstDifference(text, wanted []string, start int) string {
	for i, want := range wanted {
		if start+i >= len(text) {
			return fmt.Sprintf("The file ends at line %d, old_string goes on", len(text))
		}
		have := strings.TrimSuffix(text[start+i], "\n")
		want = strings.TrimSuffix(want, "\n")
		if have == want {
			continue
		}
		what := "differs"
		switch {
		case strings.TrimSpace(have) == strings.TrimSpace(want) && strings.TrimRight(have, " \t") == strings.TrimRight(want, " \t"):
			what = "differs in whitespace at its end"
		case strings.TrimSpace(have) == strings.TrimSpace(want):
			what = "differs in indentation"
		case slices.Equal(strings.Fields(have), strings.Fields(want)):
			what = "differs in whitespace only"
		}
		return fmt.Sprintf("Line %d %s: the file has %q, old_string has %q", start+i+1, what, lines.Cut(have, nearLineBytes), lines.Cut(want, nearLineBytes))
	}
	return "The lines are the same, but they end differently"
}

// nearLineBytes bounds a line quoted in an error.
const nearLineBytes = 200

func cutLines(list []string) []string {
	cut := make([]string, len(list))
	for i, line := range list {
		cut[i] = lines.Cut(strings.TrimSuffix(line, "\n"), nearLineBytes)
	}
	return cut
}
