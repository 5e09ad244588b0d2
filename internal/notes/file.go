package notes

import (
	"fmt"
	"strconv"
	"strings"
)

// A piece of a file is a note or other text.
type piece struct {
	raw  string
	note *Note
}

// parse reads the pieces of a file. Notes without an ID of the scope get the first free number.
func parse(text string, scope Scope) (pieces []piece) {
	var open *piece
	commented := false
	close := func() {
		if open != nil {
			pieces = append(pieces, *open)
		}
		open, commented = nil, false
	}
	for line := range strings.Lines(text) {
		item, ok := strings.CutPrefix(line, "- ")
		if !ok {
			item, ok = strings.CutPrefix(line, "* ")
		}
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		switch {
		case ok && strings.TrimSpace(item) != "":
			close()
			open = &piece{line, &Note{Text: strings.TrimSpace(item)}}
		case open != nil && !commented && indented && strings.TrimSpace(line) != "":
			open.raw += line
			if commented = open.note.comment(line); !commented {
				open.note.Text += "\n" + strings.TrimSpace(line)
			}
		default:
			close()
			if n := len(pieces); n > 0 && pieces[n-1].note == nil {
				pieces[n-1].raw += line
			} else {
				pieces = append(pieces, piece{raw: line})
			}
		}
	}
	close()
	number(pieces, scope)
	return pieces
}

// number sets the first free number on each note without a number.
func number(pieces []piece, scope Scope) {
	taken := map[string]bool{}
	for _, p := range pieces {
		if p.note == nil {
			continue
		}
		if taken[p.note.ID] || !strings.HasPrefix(p.note.ID, string(scope)) {
			p.note.ID = ""
		}
		taken[p.note.ID] = true
	}
	next := 1
	for _, p := range pieces {
		if p.note != nil && p.note.ID == "" {
			for taken[fmt.Sprint(scope, next)] {
				next++
			}
			p.note.ID = fmt.Sprint(scope, next)
			next++
		}
	}
}

// highest returns the highest number of the notes, or 0 if there are none.
func highest(pieces []piece) (most int) {
	for _, p := range pieces {
		if p.note != nil && p.note.ID != "" {
			n, _ := strconv.Atoi(p.note.ID[1:]) // an ID ends in digits
			most = max(most, n)
		}
	}
	return most
}

func join(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteString("\n")
		}
		b.WriteString(p.raw)
	}
	return b.String()
}
