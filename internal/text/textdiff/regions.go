package textdiff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agent/internal/text/lines"
)

const (
	// maxRegionLines is the greatest number of lines that Regions shows.
	maxRegionLines = 100
	// maxLineBytes is the length at which Regions cuts a line.
	maxLineBytes = 2000
	// maxRun is the greatest number of consecutive new lines that Regions shows completely. If
	// given contains a longer run, Regions shows only its first and last lines.
	maxRun, firstOfRun, lastOfRun = 6, 3, 2
	// aroundGiven is the number of unchanged lines on each side of a hunk whose new lines are all
	// in given.
	aroundGiven = 1
)

// Regions formats the changed lines of the new text, and lines around them, with their numbers.
// given contains lines that the model has already seen. Around new lines that are in given, Regions
// shows fewer unchanged lines. It replaces the middle of a long run of such lines by their number.
func (d Diff) Regions(given string) string {
	var out strings.Builder
	room := maxRegionLines
	for i, h := range d {
		if i > 0 {
			out.WriteString("…\n")
		}
		for _, p := range h.pieces(given) {
			shown := p.lines[:min(len(p.lines), room)]
			out.WriteString(lines.AddNumbers(shown, p.from))
			room -= len(shown)
			if len(shown) < len(p.lines) || room == 0 && i+1 < len(d) {
				out.WriteString(d[i:].rest(p.from + len(shown)))
				return strings.ToValidUTF8(out.String(), "\uFFFD")
			}
			if p.omitted > 0 {
				fmt.Fprintf(&out, "… %d lines as you gave them\n", p.omitted)
			}
		}
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// IsAsGiven reports whether the new text has no change that given does not already show. Each hunk
// must have new lines, and given must contain all of them unchanged.
func (d Diff) IsAsGiven(given string) bool {
	for _, h := range d {
		if h.count('+') == len(h.lines) || !h.stands(given) {
			return false
		}
	}
	return len(d) > 0
}

// maxPlaces is the greatest number of positions that DescribePlaces lists.
const maxPlaces = 30

// DescribePlaces describes the positions of the changed lines in the new text, and the numbers of added and
// removed lines, as in "lines 3-5, 9, +4 −1".
func (d Diff) DescribePlaces() string {
	var ranges []string
	noun, added, removed := "line", 0, 0
	for _, h := range d {
		at := h.to
		for i := 0; i < len(h.lines); i++ {
			first, begin := at, i
			for ; i < len(h.lines) && h.lines[i].op != ' '; i++ {
				if h.lines[i].op == '+' {
					at++
				} else {
					removed++
				}
			}
			added += at - first
			switch {
			case i == begin:
			case at <= first+1:
				ranges = append(ranges, strconv.Itoa(first))
			default:
				noun, ranges = "lines", append(ranges, fmt.Sprintf("%d-%d", first, at-1))
			}
			at++
		}
	}
	if len(ranges) > 1 {
		noun = "lines"
	}
	if more := len(ranges) - maxPlaces; more > 0 {
		ranges = append(ranges[:maxPlaces], fmt.Sprintf("… %d more", more))
	}
	return fmt.Sprintf("%s %s, +%d −%d", noun, strings.Join(ranges, ", "), added, removed)
}

// Ends returns a diff with only the first and the last hunk.
func (d Diff) Ends() Diff {
	if len(d) < 3 {
		return d
	}
	return Diff{d[0], d[len(d)-1]}
}

// rest describes the lines of the new text that do not fit, beginning with a line of the first
// hunk.
func (d Diff) rest(from int) string {
	var ranges []string
	for i, h := range d {
		to := h.to + h.count('-') - 1
		if i > 0 {
			from = h.to
		}
		if from <= to {
			ranges = append(ranges, fmt.Sprintf("%d-%d", from, to))
		}
	}
	if len(ranges) == 0 {
		return ""
	}
	return fmt.Sprintf("[also changed: %s]\n", strings.Join(ranges, ", "))
}

// A piece is a part of a hunk in the new text: lines, the number of the first line, and the number
// of omitted lines after them.
type piece struct {
	from    int
	lines   []string
	omitted int
}

func (h hunk) pieces(given string) []piece {
	if h.stands(given) {
		h = h.around()
	}
	all := []piece{{from: h.to}}
	at := h.to
	for i := 0; i < len(h.lines); {
		end := i + 1
		for h.lines[i].op == '+' && end < len(h.lines) && h.lines[end].op == '+' {
			end++
		}
		run := h.lines[i:end]
		i = end
		if run[0].op == '-' {
			continue
		}
		last := &all[len(all)-1]
		if len(run) <= maxRun || !stands(run[firstOfRun:len(run)-lastOfRun], given) {
			last.lines = append(last.lines, texts(run)...)
		} else {
			last.lines = append(last.lines, texts(run[:firstOfRun])...)
			last.omitted = len(run) - firstOfRun - lastOfRun
			all = append(all, piece{from: at + len(run) - lastOfRun, lines: texts(run[len(run)-lastOfRun:])})
		}
		at += len(run)
	}
	return all
}

// around returns the hunk with aroundGiven unchanged lines on each side. If lines were only
// removed, it adds more until the edges are not blank, because blank lines do not identify the
// position.
func (h hunk) around() hunk {
	blank := func(line diffLine) bool { return line.op == ' ' && strings.TrimSpace(line.text) == "" }
	for around := aroundGiven; ; around++ {
		narrow := h.narrowed(around)
		added := h.count('+') < len(h.lines)
		if added || len(narrow.lines) == len(h.lines) || !blank(narrow.lines[0]) && !blank(narrow.lines[len(narrow.lines)-1]) {
			return narrow
		}
	}
}

// stands reports whether given contains all new lines of the hunk unchanged.
func (h hunk) stands(given string) bool {
	for i := 0; i < len(h.lines); i++ {
		begin := i
		for i < len(h.lines) && h.lines[i].op == '+' {
			i++
		}
		if !stands(h.lines[begin:i], given) {
			return false
		}
	}
	return true
}

// narrowed returns the hunk with at most around unchanged lines at its start and its end.
func (h hunk) narrowed(around int) hunk {
	changed := func(line diffLine) bool { return line.op != ' ' }
	before := max(slices.IndexFunc(h.lines, changed)-around, 0)
	h.lines, h.from, h.to = h.lines[before:], h.from+before, h.to+before
	end := len(h.lines)
	for end > 0 && !changed(h.lines[end-1]) {
		end--
	}
	h.lines = h.lines[:min(end+around, len(h.lines))]
	return h
}

// stands reports whether text contains a run of lines unchanged.
func stands(run []diffLine, text string) bool {
	var all strings.Builder
	for _, line := range run {
		all.WriteString(line.text)
	}
	return strings.Contains(text, strings.TrimSuffix(all.String(), "\n"))
}

// texts returns lines without their line breaks, and cuts long lines.
func texts(run []diffLine) []string {
	list := make([]string, len(run))
	for i, line := range run {
		list[i] = lines.Cut(strings.TrimSuffix(line.text, "\n"), maxLineBytes)
	}
	return list
}
