// Package svg draws rows of the screen as pictures, from the same output that a terminal receives
// and with the same colors. It is for tests that make the pictures of the README.
package svg

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Colors holds the colors of a terminal.
type Colors struct {
	// Back is the background color. Text and Dim are the colors of plain and faint text.
	Back, Text, Dim string
	// Colors holds the 16 colors of the terminal palette.
	Colors [16]string
}

// Dark and Light are common default colors of terminals.
var (
	Dark = Colors{Back: "#16181d", Text: "#d6d9df", Dim: "#868c98", Colors: [16]string{
		"#2b2f37", "#e5707a", "#8fc17b", "#dcb868", "#6faee8", "#c08adf", "#5fb8c2", "#d6d9df",
		"#6b7280", "#f28b94", "#a8d695", "#f0d08a", "#8fc4f5", "#d4a8ee", "#80d0d8", "#ffffff",
	}}
	Light = Colors{Back: "#fdfdfb", Text: "#24292f", Dim: "#6e7781", Colors: [16]string{
		"#24292f", "#c1323c", "#1f7a33", "#8a6100", "#0a58b8", "#7d3fb0", "#0f6f7c", "#57606a",
		"#6e7781", "#a3232d", "#186329", "#6b4a00", "#08478f", "#62318c", "#0b5763", "#8c959f",
	}}
)

// The size of a cell, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	fontSize   = 14
	margin     = 14
)

type look struct {
	fore, back                                     string
	bold, dim, italic, underline, strike, reversed bool
}

// Draw returns the picture of rows in a window with the given number of columns.
func Draw(rows []string, columns int, g Colors) string {
	width, height := float64(columns)*cellWidth+2*margin, len(rows)*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d">`+"\n", width, height, width, height, fontSize)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", g.Back)
	for y, row := range rows {
		drawRow(&b, row, margin+y*cellHeight, g)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawRow draws a row whose top is at y: first the background, then the text. The text is drawn in
// pieces of one style, each placed at its column.
func drawRow(b *strings.Builder, row string, y int, g Colors) {
	var now look
	var text strings.Builder
	column := 0
	flush := func() {
		if text.Len() > 0 {
			column += drawPiece(b, text.String(), column, y, now, g)
			text.Reset()
		}
	}
	for row != "" {
		at := strings.Index(row, "\x1b[")
		if at < 0 {
			text.WriteString(row)
			break
		}
		text.WriteString(row[:at])
		end := strings.IndexByte(row[at:], 'm')
		if end < 0 {
			break
		}
		flush()
		now.take(row[at+2:at+end], g)
		row = row[at+end+1:]
	}
	flush()
}

// drawPiece draws a text of one style and returns the number of cells that it covers.
func drawPiece(b *strings.Builder, text string, column, y int, l look, g Colors) int {
	cells := ansi.StringWidth(text)
	fore, back := l.fore, l.back
	if fore == "" {
		fore = g.Text
		if l.dim {
			fore = g.Dim
		}
	}
	if l.reversed {
		if back == "" {
			back = g.Back
		}
		fore, back = back, fore
	}
	x, wide := margin+float64(column)*cellWidth, float64(cells)*cellWidth
	if back != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, wide, cellHeight, back)
	}
	if strings.TrimSpace(text) == "" {
		return cells
	}
	attributes := ""
	for _, a := range []struct {
		set  bool
		text string
	}{{l.bold, ` font-weight="bold"`}, {l.italic, ` font-style="italic"`}, {l.underline, ` text-decoration="underline"`}, {l.strike, ` text-decoration="line-through"`}} {
		if a.set {
			attributes += a.text
		}
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s" xml:space="preserve"%s>%s</text>`+"\n", x, y+cellHeight-5, wide, fore, attributes, html.EscapeString(text))
	return cells
}

// take changes the style according to the parameters of an escape sequence.
func (l *look) take(parameters string, g Colors) {
	codes := strings.Split(parameters, ";")
	for i := 0; i < len(codes); i++ {
		code, _ := strconv.Atoi(codes[i])
		switch {
		case code == 0:
			*l = look{}
		case code == 38 || code == 48:
			color, used := extended(codes[i+1:], g)
			i += used
			if code == 38 {
				l.fore = color
			} else {
				l.back = color
			}
		case code >= 30 && code <= 37:
			l.fore = g.Colors[code-30]
		case code >= 90 && code <= 97:
			l.fore = g.Colors[code-90+8]
		case code >= 40 && code <= 47:
			l.back = g.Colors[code-40]
		case code == 39:
			l.fore = ""
		case code == 49:
			l.back = ""
		default:
			l.attribute(code)
		}
	}
}

// attribute applies a code that is not a color.
func (l *look) attribute(code int) {
	switch code {
	case 1:
		l.bold = true
	case 2:
		l.dim = true
	case 3:
		l.italic = true
	case 4:
		l.underline = true
	case 7:
		l.reversed = true
	case 9:
		l.strike = true
	case 22:
		l.bold, l.dim = false, false
	case 23:
		l.italic = false
	case 24:
		l.underline = false
	case 27:
		l.reversed = false
	case 29:
		l.strike = false
	}
}

// extended reads a 24-bit or palette color. used is the number of codes that it read.
func extended(codes []string, g Colors) (color string, used int) {
	number := func(i int) int {
		if i >= len(codes) {
			return 0
		}
		n, _ := strconv.Atoi(codes[i])
		return min(255, max(0, n))
	}
	if number(0) == 2 {
		return fmt.Sprintf("#%02x%02x%02x", number(1), number(2), number(3)), 4
	}
	switch n := number(1); {
	case n < 16:
		return g.Colors[n], 2
	case n < 232:
		step := func(v int) int { return v * 51 }
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", step(n/36), step(n/6%6), step(n%6)), 2
	default:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey), 2
	}
}
