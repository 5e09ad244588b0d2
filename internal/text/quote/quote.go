// Package quote handles quotes that do not match the file exactly. A model quotes text in order to
// replace it. If only blanks differ, Find finds the position nevertheless. Otherwise it explains
// the mistake. Messages call the quote old_string and its replacement new_string.
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

// The remarks of [Find] about a quote that differs from the file only in blanks.
const (
	IndentationShifted = "The indentation of old_string differed from the file; new_string was adjusted to it. "
	BlanksIgnored      = "Whitespace at the ends of lines of old_string differed from the file. "
)

// Find finds a quote that is not literally in the text of a file. All lines of the quote must equal
// whole lines of the text, apart from blanks, at exactly one position. The new lines get the
// indentation of that position. If exact is set, Find does not ignore blanks. It returns the
// replacement and a remark about it.
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
			places[i]++ // the patch contains a line more than once
		}
		return none, "", fmt.Errorf("old_string was not found in %s; nothing was written. Text that differs only in whitespace is at %s: copy one of these passages exactly", file, lines.Numbers(places))
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

// sameButBlanks returns the indices in have at which the wanted lines follow, apart from blanks at
// the beginnings and ends of lines.
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
		one, rest := indent.Split(line)
		if other, _ := indent.Split(have[i]); one != other && strings.TrimSpace(rest) != "" {
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

// notFound returns an error that explains why old is not in text. It names a known mistake if there
// is one, and the most similar lines otherwise.
func notFound(rel, text, old, replacement string) error {
	why := knownMistake(text, old, replacement)
	if why == "" {
		why = cmp.Or(textdiff.DescribeNearest(lines.Split(text), lines.Split(old), "old_string"), "No lines of the file are similar; read the file again")
	}
	return fmt.Errorf("old_string was not found in %s; nothing was written. %s", rel, why)
}

var lineNumber = lazyregexp.New(`(?m)^ *\d+\|`)

// knownMistake recognizes the mistakes that models make when they copy a text.
func knownMistake(text, old, replacement string) string {
	unescaped := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(old)
	switch bare := lineNumber.ReplaceAllString(old, ""); {
	case bare != old && strings.Contains(text, bare):
		return "old_string contains line numbers; omit the NUMBER| before each line"
	case unescaped != old && strings.Contains(text, unescaped):
		return `old_string is escaped once too often: write line feeds, tabs and quotes as they are in the file, not as \n, \t, \"`
	case len(replacement) > len(old)/2 && strings.TrimSpace(replacement) != "" && strings.Contains(text, replacement):
		return fmt.Sprintf("new_string is already in the file, at line %d: this edit was probably made before", lines.LineNumber(text, strings.Index(text, replacement)))
	}
	return ""
}
