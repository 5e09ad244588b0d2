package tools

import (
	"fmt"
	"strings"

	"agent/internal/text/indent"
	"agent/internal/text/lines"
	"agent/internal/text/textfile"
)

// indentationShifted begins the answer to an edit whose quoted lines are the file's but for
// blanks.
const (
	indentationShifted = "The indentation of old_string was not the file's; new_string was shifted to it. "
	blanksIgnored      = "The blanks at the ends of lines of old_string were not the file's. "
)

// addShifted finds an edit whose text is not in the file, where all its lines are whole
// lines of the file but for blanks, at one place: new lines get the indentation that the
// quoted ones have there. Nothing looser is tried.
func (r *replacing) addShifted(edit int, old, new string) error {
	mistake := notFound(r.rel, r.text, old, new)
	if r.exact || knownMistake(r.text, old, new) != "" {
		return mistake
	}
	have, wanted := lines.Split(r.text), lines.Split(old)
	places := sameButBlanks(have, wanted)
	switch {
	case len(places) == 0:
		return mistake
	case len(places) > 1:
		return fmt.Errorf("old_string was not found in %s; nothing was written. But for blanks, it is at lines %s: quote one of them exactly as it is there", r.rel, numberList(places))
	}
	at := places[0]
	fresh := lines.Split(new)
	shifted, err := indent.Shift(plain(wanted), plain(have[at:at+len(wanted)]), plain(fresh))
	if err != nil {
		return fmt.Errorf("%w. %s%s", mistake, strings.ToUpper(err.Error()[:1]), err.Error()[1:])
	}
	start := len(strings.Join(have[:at], ""))
	end := start + len(strings.Join(have[at:at+len(wanted)], ""))
	text := strings.Join(shifted, "\n")
	if strings.HasSuffix(new, "\n") {
		text += "\n"
	}
	switch ends := strings.HasSuffix(have[at+len(wanted)-1], "\n"); {
	case ends && !strings.HasSuffix(old, "\n"):
		end-- // what ends the last line was not quoted
	case !ends && strings.HasSuffix(old, "\n"):
		text = strings.TrimSuffix(text, "\n")
	}
	r.places = append(r.places, placed{textfile.Splice{Start: start, End: end, Text: text}, edit})
	if r.shifted == "" {
		r.shifted = blanksIgnored
	}
	if !sameIndentation(wanted, have[at:]) {
		r.shifted = indentationShifted
	}
	return nil
}

// sameButBlanks are the indices from which on lines of a file are some lines but for blanks
// at their beginnings and ends.
func sameButBlanks(have, wanted []string) (places []int) {
	for at := 0; at+len(wanted) <= len(have); at++ {
		same := true
		for i, want := range wanted {
			if strings.TrimSpace(have[at+i]) != strings.TrimSpace(want) {
				same = false
				break
			}
		}
		if same {
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

// plain are lines without their ends.
func plain(list []string) []string {
	bare := make([]string, len(list))
	for i, line := range list {
		bare[i] = strings.TrimSuffix(line, "\n")
	}
	return bare
}

// numberList lists lines by their indices.
func numberList(places []int) string {
	var list []string
	for i, at := range places {
		if i == maxListedLines {
			list = append(list, "…")
			break
		}
		list = append(list, fmt.Sprint(at+1))
	}
	return strings.Join(list, ", ")
}
