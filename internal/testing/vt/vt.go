// Package vt is a terminal emulator for tests. It supports only the escape sequences that the
// screen writes, and panics on any other. The screen therefore uses only sequences that every
// terminal supports.
package vt

import (
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// Terminal is a terminal with its scrollback. It is safe for concurrent use.
type Terminal struct {
	mu            sync.Mutex
	width, height int
	// rows holds the scrollback and, from index top on, the window.
	rows     [][]string
	top      int
	Row, Col int
	// wrap is set after a character in the last column, so that the next character starts a new
	// line.
	wrap bool
}

// New returns an empty terminal.
func New(width, height int) *Terminal {
	v := &Terminal{width: width, height: height}
	v.rows = [][]string{nil}
	return v
}

// Write implements io.Writer.
func (v *Terminal) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for s := string(p); s != ""; {
		if strings.HasPrefix(s, "\x1b]") {
			s = s[strings.IndexAny(s, "\a\\")+1:]
			continue
		}
		if s[0] == 0x1b {
			n := 3 + strings.IndexFunc(s[2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
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

func (v *Terminal) put(cluster string, width int) {
	switch cluster {
	case "\r":
		v.Col, v.wrap = 0, false
		return
	case "\n":
		v.down()
		return
	case "\a":
		return
	}
	if v.wrap || v.Col+width > v.width {
		v.Col = 0
		v.down()
	}
	line := v.rows[v.Row]
	for len(line) < v.Col+width {
		line = append(line, " ")
	}
	line[v.Col] = cluster
	for i := 1; i < width; i++ {
		line[v.Col+i] = ""
	}
	v.rows[v.Row] = line
	v.Col += width
	v.wrap = v.Col >= v.width
	if v.wrap {
		v.Col = v.width - 1
	}
}

func (v *Terminal) down() {
	v.wrap = false
	v.Row++
	if v.Row == len(v.rows) {
		v.rows = append(v.rows, nil)
	}
	v.top = max(v.top, v.Row-v.height+1)
}

func (v *Terminal) sequence(params string, final byte) {
	n := 1
	if given, err := strconv.Atoi(params); err == nil {
		n = max(1, given)
	}
	switch {
	case final == 'm' || strings.IndexAny(params, "?<>") == 0:
	case final == 'A':
		v.Row, v.wrap = max(v.top, v.Row-n), false
	case final == 'B':
		v.Row, v.wrap = min(len(v.rows)-1, v.Row+n), false
	case final == 'C':
		v.Col, v.wrap = min(v.width-1, v.Col+n), false
	case final == 'H':
		v.Row, v.Col = v.top, 0
	case final == 'K' && params == "":
		v.rows[v.Row] = v.rows[v.Row][:min(v.Col, len(v.rows[v.Row]))]
	case final == 'J' && params == "3":
		v.rows = append([][]string{}, v.rows[v.top:]...)
		v.Row, v.top = v.Row-v.top, 0
	case final == 'J' && params == "2":
		for i := v.top; i < len(v.rows); i++ {
			v.rows[i] = nil
		}
	default:
		panic("the screen wrote a sequence not every terminal knows: ESC[" + params + string(rune(final)))
	}
}

// Lines returns the scrollback and the window, without trailing blanks.
func (v *Terminal) Lines() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]string, len(v.rows))
	for i, row := range v.rows {
		out[i] = strings.TrimRight(strings.Join(row, ""), " ")
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// Resize changes the size as most terminals do. Lines that are now too long are broken, lines that
// were broken before stay broken, and the cursor stays on its character.
func (v *Terminal) Resize(width, height int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var rows [][]string
	for i, row := range v.rows {
		if i == v.Row {
			at := len(rows) + v.Col/width
			defer func(col int) { v.Row, v.Col = at, col }(v.Col % width)
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

// Scribble imitates another program that writes to the same terminal.
func (v *Terminal) Scribble() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.rows {
		v.rows[i] = []string{"#", "#"}
	}
}
