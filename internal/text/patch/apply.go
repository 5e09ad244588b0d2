package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agent/internal/text/indent"
	"agent/internal/text/lines"
	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
)

// ApplyResult is the result of applying chunks to a text.
type ApplyResult struct {
	// Splices are the changes of the text, in order.
	Splices []textfile.Splice
	// Notes describes the parts of the patch that were not applied literally.
	Notes []string
}

// Apply finds the positions of an update's chunks in the text of its file, which must have plain
// line feeds. The error is an *[Error].
func (s Section) Apply(text string) (ApplyResult, error) {
	a := &applier{path: s.Path, text: text, alone: len(s.Chunks) == 1}
	for line := range strings.Lines(text) {
		a.starts = append(a.starts, a.size)
		a.size += len(line)
		a.lines = append(a.lines, strings.TrimSuffix(line, "\n"))
	}
	for _, chunk := range s.Chunks {
		if err := a.chunk(chunk); err != nil {
			return ApplyResult{}, err
		}
	}
	return a.splices(), nil
}

// applier applies chunks to a text.
type applier struct {
	path, text string
	alone      bool
	lines      []string
	// starts holds the offset of each line.
	starts []int
	// size is the length of the text in bytes.
	size int
	// cursor is the index of the line after the last chunk.
	cursor int
	// trailing is the number of context lines at the end of the last chunk.
	trailing int
	taken    []span
	edits    []edit
	notes    []string
}

// span is a range of lines from the index from up to, but not including, the index to.
type span struct{ from, to int }

// edit replaces a range of lines.
type edit struct {
	span
	lines []string
}

// place is the position at which a chunk's old lines match, with the level of the match.
type place struct {
	at    int
	level level
}

func (a *applier) chunk(c Chunk) error {
	from, anchored, err := a.anchor(c)
	if err != nil {
		return err
	}
	old := c.OldLines()
	if len(old) == 0 {
		at := len(a.lines)
		if anchored && !c.AtEnd {
			at = from
		}
		a.put(c, place{at, exact})
		return nil
	}
	found, ok := a.find(c, old, from, anchored)
	if !ok {
		return a.noMatch(c, old, from)
	}
	if !anchored && found.level == exact && !c.AtEnd {
		a.noteOthers(c, old, found.at)
	}
	a.put(c, found)
	return nil
}

// anchor finds the line after the last of a chunk's anchors. The search for its old lines begins
// there.
func (a *applier) anchor(c Chunk) (from int, anchored bool, err error) {
	from = a.cursor
	for _, anchor := range c.Anchors {
		found, ok := a.first([]string{anchor}, from, len(a.lines)-1)
		if !ok && a.repeatsAnchor(anchor, c, from) {
			continue
		}
		holders := a.holders(anchor, from)
		if !ok && len(holders) == 1 {
			found, ok = place{at: holders[0]}, true
		}
		if !ok {
			return 0, false, Errorf(NoAnchor, "%s: no line %s is %s.%s", a.path, searched(from), quoted(anchor), a.nearest(anchor, from))
		}
		from, anchored = found.at+1, true
	}
	return from, anchored, nil
}

// holders returns the lines, from a line on, that contain an anchor. A model often writes a
// declaration without its parameters as an anchor.
func (a *applier) holders(anchor string, from int) []int {
	var all []int
	if anchor = strings.TrimSpace(anchor); anchor == "" {
		return nil
	}
	for at := from; at < len(a.lines); at++ {
		if strings.Contains(a.lines[at], anchor) && a.isFree(at, 1) {
			all = append(all, at)
		}
	}
	return all
}

// repeatsAnchor reports whether an anchor repeats the anchor of an earlier chunk, as with two
// changes in one function. The anchor then is a single line above the cursor, and the chunk's old
// lines occur below the anchor only after the cursor.
func (a *applier) repeatsAnchor(anchor string, c Chunk, from int) bool {
	old := c.OldLines()
	if from != a.cursor || len(old) == 0 {
		return false
	}
	found, ok := a.first([]string{anchor}, 0, a.cursor-1)
	if !ok {
		return false
	}
	if _, second := a.first([]string{anchor}, found.at+1, a.cursor-1); second {
		return false
	}
	for at := found.at; at < a.cursor && at+len(old) <= len(a.lines); at++ {
		if a.clear(at, len(old)) && trimmed.matches(a.lines[at:at+len(old)], old) {
			return false
		}
	}
	return true
}

// find finds the position of a chunk's old lines.
func (a *applier) find(c Chunk, old []string, from int, anchored bool) (place, bool) {
	last := len(a.lines) - len(old)
	if c.AtEnd {
		return a.first(old, max(last, from), last)
	}
	if found, ok := a.first(old, from, last); ok {
		return found, true
	}
	if anchored {
		if found, ok := a.first(old, from-1, min(from-1, last)); ok {
			return found, true
		}
	}
	if !anchored && a.trailing > 0 {
		if found, ok := a.first(old, a.cursor-a.trailing, min(a.cursor-1, last)); ok {
			return found, true
		}
	}
	var once []int
	for at := 0; at <= last; at++ {
		if a.clear(at, len(old)) && exact.matches(a.lines[at:at+len(old)], old) {
			once = append(once, at)
		}
	}
	if len(once) != 1 {
		return place{}, false
	}
	return place{once[0], exact}, true
}

// first finds the first match of old lines between two lines of the text. It uses the strictest
// level that has a match.
func (a *applier) first(old []string, from, to int) (place, bool) {
	for _, l := range levels {
		for at := max(from, 0); at <= to && at+len(old) <= len(a.lines); at++ {
			if l.matches(a.lines[at:at+len(old)], old) && a.isFree(at, len(old)) {
				return place{at, l}, true
			}
		}
	}
	return place{}, false
}

// isFree reports whether no earlier chunk has changed any of the lines. clear reports whether no
// earlier chunk has matched any of them.
func (a *applier) isFree(at, count int) bool {
	return !slices.ContainsFunc(a.edits, func(e edit) bool { return e.from < at+count && at < e.to })
}

func (a *applier) clear(at, count int) bool {
	return !slices.ContainsFunc(a.taken, func(s span) bool { return s.from < at+count && at < s.to })
}

// put records the edits of a chunk at its position.
func (a *applier) put(c Chunk, p place) {
	added := a.addedLines(c, p)
	at := p.at
	var open *edit
	trailing := 0
	for _, line := range c.Lines {
		if line.Mark == Context {
			at, open, trailing = at+1, nil, trailing+1
			continue
		}
		trailing = 0
		if open == nil {
			a.edits = append(a.edits, edit{span: span{at, at}})
			open = &a.edits[len(a.edits)-1]
		}
		if line.Mark == Removed {
			at++
			open.to = at
			continue
		}
		open.lines = append(open.lines, added[0])
		added = added[1:]
	}
	a.taken = append(a.taken, span{p.at, at})
	a.cursor, a.trailing = at, trailing
}

// addedLines returns the added lines of a chunk. If the match ignored indentation, they get the
// indentation of the file.
func (a *applier) addedLines(c Chunk, p place) []string {
	var added []string
	for _, line := range c.Lines {
		if line.Mark == Added {
			added = append(added, line.Text)
		}
	}
	if p.level < trimmed || len(added) == 0 {
		return added
	}
	old := c.OldLines()
	shifted, err := indent.Shift(old, a.lines[p.at:p.at+len(old)], added)
	if err != nil || slices.Equal(shifted, added) {
		return added
	}
	a.notes = append(a.notes, fmt.Sprintf("%s, chunk %d: the indentation differed from the file; the added lines were adjusted", a.path, c.Number))
	return shifted
}

// noteOthers adds a note about the other positions of a chunk's old lines.
func (a *applier) noteOthers(c Chunk, old []string, at int) {
	all := []int{at + 1}
	for other := at + 1; other+len(old) <= len(a.lines); other++ {
		if exact.matches(a.lines[other:other+len(old)], old) {
			all = append(all, other+1)
		}
	}
	if len(all) > 1 {
		a.notes = append(a.notes, fmt.Sprintf("%s, chunk %d: its old lines match at %s; the first match was changed", a.path, c.Number, lines.Numbers(all)))
	}
}

// noMatch returns an error that explains why a chunk does not match.
func (a *applier) noMatch(c Chunk, old []string, from int) error {
	fresh := c.NewLines()
	if slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Mark == Added }) {
		for at := 0; at+len(fresh) <= len(a.lines); at++ {
			if exact.matches(a.lines[at:at+len(fresh)], fresh) {
				return Errorf(AlreadyApplied, "%s, chunk %d (line %d of the patch): the file already has the new lines, at line %d.", a.path, c.Number, c.Line, at+1)
			}
		}
	}
	where := "are not " + searched(from)
	if c.AtEnd {
		where = "are not the last lines of the file"
	}
	others := ""
	if !a.alone {
		others = " If the other chunks match, send one corrected patch with all chunks."
	}
	return Errorf(NoMatch, "%s, chunk %d (line %d of the patch): its old lines %s.%s%s",
		a.path, c.Number, c.Line, where, a.near(old), others)
}

// searched describes the part of the file after a line, for a message.
func searched(line int) string {
	if line == 0 {
		return "in the file"
	}
	return fmt.Sprintf("below line %d", line)
}

// near returns the lines of the file that are most similar to old.
func (a *applier) near(old []string) string {
	if near := textdiff.DescribeNearest(a.lines, old, "the patch"); near != "" {
		return " " + near + "."
	}
	return " No lines of the file are similar; read the file again."
}

// maxListedLines is the greatest number of lines that a message lists.
const maxListedLines = 3

// nearest describes the lines, from a line on, that contain an anchor or are most similar to it.
func (a *applier) nearest(anchor string, from int) string {
	near := a.holders(anchor, from)
	if len(near) == 0 {
		for _, at := range textdiff.Closest(a.lines[from:], []string{anchor}) {
			near = append(near, from+at)
		}
	}
	var found []string
	for _, at := range near[:min(len(near), maxListedLines)] {
		found = append(found, fmt.Sprintf("%d|%s", at+1, lines.Cut(a.lines[at], excerptBytes)))
	}
	if len(found) == 0 {
		return " An anchor must be a whole line of the file: the nearest declaration above the change."
	}
	return " Nearest: " + strings.Join(found, ", ")
}

// splices converts the edits to splices. If the text changed, its last line ends with a line feed.
func (a *applier) splices() ApplyResult {
	slices.SortStableFunc(a.edits, func(x, y edit) int { return cmp.Or(x.from-y.from, x.to-y.to) })
	done := ApplyResult{Notes: a.notes}
	unended := a.text != "" && !strings.HasSuffix(a.text, "\n")
	end := textfile.Splice{Start: len(a.text), End: len(a.text), Text: "\n"}
	for _, e := range a.edits {
		if unended && e.to == len(a.lines) {
			if e.from == e.to {
				done.Splices = append(done.Splices, end)
			}
			unended = false
		}
		done.Splices = append(done.Splices, textfile.Splice{Start: a.start(e.from), End: a.start(e.to), Text: lines.Join(e.lines)})
	}
	if unended && len(done.Splices) > 0 {
		done.Splices = append(done.Splices, end)
	}
	return done
}

// start returns the offset of a line. For the index after the last line it returns the end of the
// text.
func (a *applier) start(line int) int {
	if line < len(a.starts) {
		return a.starts[line]
	}
	return len(a.text)
}
