package textdiff

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/text/lines"
)

// nearLines is the number of lines that are shown of a similar position.
const nearLines = 30

// DescribeNearest returns the lines of a text that are most similar to the wanted lines, and the first
// difference. It returns "" if no lines are similar. called is the name of the wanted lines in the
// message.
func DescribeNearest(have, wanted []string, called string) string {
	places := Closest(have, wanted)
	if len(places) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("The closest lines, as NUMBER|TEXT:\n")
	for i, start := range places {
		if i > 0 {
			out.WriteString("…\n")
		}
		end := min(start+min(len(wanted), nearLines), len(have))
		out.WriteString(lines.AddNumbers(cutLines(have[start:end]), start+1))
	}
	out.WriteString(firstDifference(have, wanted, places[0], called))
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// firstDifference describes the first line that differs at the most similar position.
func firstDifference(text, wanted []string, start int, called string) string {
	for i, want := range wanted {
		if start+i >= len(text) {
			return fmt.Sprintf("The file ends at line %d, but %s continues", len(text), called)
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
		return fmt.Sprintf("Line %d %s: the file has %q, %s has %q", start+i+1, what, lines.Cut(have, nearLineBytes), called, lines.Cut(want, nearLineBytes))
	}
	return "The lines differ only in their line ends"
}

// nearLineBytes is the greatest length of a line that an error quotes.
const nearLineBytes = 200

func cutLines(list []string) []string {
	cut := make([]string, len(list))
	for i, line := range list {
		cut[i] = lines.Cut(strings.TrimSuffix(line, "\n"), nearLineBytes)
	}
	return cut
}
