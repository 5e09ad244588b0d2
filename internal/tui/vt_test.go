package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// vt is a terminal that understands what the screen writes and nothing else: it
// panics on any other sequence, so that the screen keeps to what every terminal
// can do.
type vt struct {
	width, height int
	// rows is the scrollback and, from top, the window.
	rows     [][]string
	top      int
	row, col int
	// wrap is the pending wrap after a character in the last column.
	wrap bool
}

func newVT(width, height int) *vt {
	v := &vt{width: width, height: height}
	v.rows = [][]string{nil}
	return v
}

// Write implements io.Writer.
func (v *vt) Write(p []byte) (int, error) {
	for s := string(p); s != ""; {
		if strings.HasPrefix(s, "\x1b]") {
			s = s[oscLength([]byte(s)):]
			continue
		}
		if s[0] == 0x1b {
			n := csiLength([]byte(s))
			v.sequence(s[2:n-1], s[n-1])
			s = s[n:]
			continue
		}
		cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if s[0] < ' ' {
			cluster = s[:1]
		}
		v.put(cluster, width)
		s = s[len(cluster):]
	}
	return len(p), nil
}

func (v *vt) put(cluster string, width int) {
	switch cluster {
	case "\r":
		v.col, v.wrap = 0, false
		return
	case "\n":
		v.down()
		return
	case "\a":
		return
	}
	if v.wrap || v.col+width > v.width {
		v.col = 0
		v.down()
	}
	line := v.rows[v.row]
	for len(line) < v.col+width {
		line = append(line, " ")
	}
	line[v.col] = cluster
	for i := 1; i < width; i++ {
		line[v.col+i] = ""
	}
	v.rows[v.row] = line
	v.col += width
	v.wrap = v.col >= v.width
	if v.wrap {
		v.col = v.width - 1
	}
}

func (v *vt) down() {
	v.wrap = false
	v.row++
	if v.row == len(v.rows) {
		v.rows = append(v.rows, nil)
	}
	v.top = max(v.top, v.row-v.height+1)
}

func (v *vt) sequence(params string, final byte) {
	n := max(1, number([]string{params}, 0, 1))
	switch {
	case final == 'm' || strings.IndexAny(params, "?<>") == 0:
	case final == 'A':
		v.row, v.wrap = max(v.top, v.row-n), false
	case final == 'B':
		v.row, v.wrap = min(len(v.rows)-1, v.row+n), false
	case final == 'C':
		v.col, v.wrap = min(v.width-1, v.col+n), false
	case final == 'H':
		v.row, v.col = v.top, 0
	case final == 'K' && params == "":
		v.rows[v.row] = v.rows[v.row][:min(v.col, len(v.rows[v.row]))]
	case final == 'J' && params == "":
		v.rows[v.row] = v.rows[v.row][:min(v.col, len(v.rows[v.row]))]
		v.rows = v.rows[:v.row+1]
	case final == 'J' && params == "2":
		for i := v.top; i < len(v.rows); i++ {
			v.rows[i] = nil
		}
	default:
		panic("the screen wrote a sequence not every terminal knows: ESC[" + params + string(rune(final)))
	}
}

// lines is everything: scrollback and window, without trailing blanks.
func (v *vt) lines() []string {
	out := make([]string, len(v.rows))
	for i, row := range v.rows {
		out[i] = strings.TrimRight(strings.Join(row, ""), " ")
	}
	return out
}

// resize does what most terminals do: lines that are too long now are broken, lines
// that were broken stay so, and the cursor stays on its character.
func (v *vt) resize(width, height int) {
	var rows [][]string
	for i, row := range v.rows {
		if i == v.row {
			at := len(rows) + v.col/width
			defer func(col int) { v.row, v.col = at, col }(v.col % width)
		}
		for len(row) > width {
			rows = append(rows, row[:width:width])
			row = row[width:]
		}
		rows = append(rows, row)
	}
	v.rows, v.width, v.height, v.wrap = rows, width, height, false
	v.top = max(0, len(rows)-height)
}
