// Package quote handles quotes of a file that do not match the file exactly. A model quotes
// text in order to replace it; where only blanks differ, Find finds the place nevertheless,
// else it explains the mistake. Messages call the quote old_string and its replacement
// new_string.
package quote

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/text/indent"
	"agent/internal/text/lines"
	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
)

// Remarks of [Find] about a quote that differs from the file only in blanks.
const (
	IndentationShifted = "The indentation of old_string was not the file's; new_string was shifted to it. "
	BlanksIgnored      = "The blanks at the ends of lines of old_string were not the file's. "
)

// Find finds a quote that is not literally in the text of a file. All lines of the quote must
// equal whole lines of the text apart from blanks, at exactly one place. The new lines get the
// indentation of the place. Find tries nothing looser, and with exact not even that. It
// returns the replacement and a remark about it.
func Find(file, text, old, new string, exact bool) (textfile.Splice, string, error) {
	var none textfile.Splice
	mistake := notFound(file, text, old, new)
	if exact || knownMistake(text, old, new) != "" {
		return none, "", mistake
	}
	have, wanted := lines.Split(text), lines.Split(old)
	places := sameButBlanks(have, wanted)
	switch {
	case len(places) == 0:
		return none, "", mistake
	case len(places) > 1:
		for i := range places {
			places[i]++ // the patch counts a line more than once
		}
		return none, "", fmt.Errorf("old_string was not found in %s; nothing was written. But for blanks, it is at %s: quote one of them exactly as it is there", file, lines.Numbers(places))
	}
	at := places[0]
	fresh := lines.Split(new)
	shifted, err := indent.Shift(plain(wanted), plain(have[at:at+len(wanted)]), plain(fresh))
	if err != nil {
		return none, "", fmt.Errorf("%w. %s%s", mistake, strings.ToUpper(err.Error()[:1]), err.Error()[1:])
	}
	start := len(strings.Join(have[:at], ""))
	end := start + len(strings.Join(have[at:at+len(wanted)], ""))
	replacement := strings.Join(shifted, "\n")
	if strings.HasSuffix(new, "\n") {
		replacement += "\n"
	}
	switch ends := strings.HasSuffix(have[at+len(wanted)-1], "\n"); {
	case ends && !strings.HasSuffix(old, "\n"):
		end-- // the quote does not include the line end
	case !ends && strings.HasSuffix(old, "\n"):
		replacement = strings.TrimSuffix(replacement, "\n")
	}
	note := BlanksIgnored
	if !sameIndentation(wanted, have[at:]) {
		note = IndentationShifted
	}
	return textfile.Splice{Start: start, End: end, Text: replacement}, note, nil
}

// sameButBlanks returns the indices at which have continues with the wanted lines, apart from
// blanks at the beginnings and ends of lines.
func sameButBlanks(have, wanted []string) (places []int) {
	same := func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
	for at := 0; at+len(wanted) <= len(have); at++ {
		if slices.EqualFunc(have[at:at+len(wanted)], wanted, same) {
			places = append(places, at)
		}
	}
	return places
}

// sameIndentation reports whether lines begin with the same blanks.
func sameIndentation(wanted, have []string) bool {
	for i, line := range wanted {
		one, rest := indent.Of(line)
		if other, _ := indent.Of(have[i]); one != other && strings.TrimSpace(rest) != "" {
			return false
		}
	}
	return true
}

// plain returns lines without their line breaks.
func plain(list []string) []string {
	bare := make([]string, len(list))
	for i, line := range list {
		bare[i] = strings.TrimSuffix(line, "\n")
	}
	return bare
}

// notFound explains why old is not in text: with a known mistake when there is
// one, else with the closest lines.
func notFound(rel, text, old, replacement string) error {
	why := knownMistake(text, old, replacement)
	if why == "" {
		why = cmp.Or(textdiff.Near(lines.Split(text), lines.Split(old), "old_string"), "No lines of the file are close to it; read the file again")
	}
	return fmt.Errorf("old_string was not found in %s; nothing was written. %s", rel, why)
}

var lineNumber = lazyregexp.New(`(?m)^ *\d+\|`)

// knownMistake recognises the mistakes that models make when they copy a text.
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
