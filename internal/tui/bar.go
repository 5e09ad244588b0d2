package tui

import (
	"strings"

	"agent/internal/command"
)

// barGlyphs tell the segments of a bar apart without colour.
var barGlyphs = []string{"█", "▓", "▒", "▚", "▞", "▤"}

// contextBar draws the window by kind, with a mark at the threshold and a legend.
func (t *theme) contextBar(bar command.Bar, width int) []string {
	cells := min(width, textColumns)
	if bar.Total <= 0 || len(bar.Segments) == 0 {
		return nil
	}
	var line strings.Builder
	var legend []span
	used, tokensSoFar, kinds := 0, 0, 0
	for _, segment := range bar.Segments {
		glyph, style := "░", t.dim
		if !segment.Free {
			glyph, style = barGlyphs[kinds%len(barGlyphs)], t.bar[kinds%len(t.bar)]
			kinds++
		}
		tokensSoFar += segment.Tokens
		end := min(cells, (tokensSoFar*cells+bar.Total/2)/bar.Total)
		if segment.Tokens > 0 && end == used && used < cells {
			end = used + 1
		}
		line.WriteString(style.text(strings.Repeat(glyph, max(0, end-used))))
		used = max(used, end)
		legend = append(legend, span{glyph, style}, span{"\u00a0" + strings.ReplaceAll(clean(segment.Label), " ", "\u00a0") + "\u00a0" + tokens(segment.Tokens) + "  ", t.plain})
	}
	lines := []string{line.String()}
	if bar.Mark > 0 && bar.Mark < bar.Total {
		at := min(cells-1, bar.Mark*cells/bar.Total)
		label := "▲ compression at " + tokens(bar.Mark)
		if at+textWidth(label) > cells {
			label = "compression at " + tokens(bar.Mark) + " ▲"
			at = max(0, at-textWidth(label)+1)
		}
		lines = append(lines, t.dim.text(strings.Repeat(" ", at)+label))
	}
	return append(lines, wrapSpans(legend, cells)...)
}
