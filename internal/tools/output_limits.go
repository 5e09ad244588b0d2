package tools

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/shell"
	"agent/internal/text/lines"
)

// bytesPerToken is the usual size of a token of text and code. It is accurate enough to limit
// results without counting tokens.
const bytesPerToken = 4

// OutputBytes returns OutputTokens in bytes. A value below 1 sets no limit.
func (l Limits) OutputBytes() int { return atLeastOne(l.OutputTokens) * bytesPerToken }

// readLines returns ReadLines, or no limit for a value below 1.
func (l Limits) readLines() int { return atLeastOne(l.ReadLines) }

// searchLimits returns the limits for output of commands and for search results. The model seldom
// needs most of such an answer, and quotes little of it. It can get the rest from a file or by
// continuing.
func (l Limits) searchLimits() Limits {
	l.OutputTokens = min(l.OutputTokens, atLeastOne(l.FoundTokens))
	return l
}

// shownTokens limits the answer of a command that shows files, such as cat. The rest is in a file
// that the answer names. read_file has the larger limit.
const shownTokens = 4000

// shownRoom returns the bytes of output of a command that shows files. The rest of the answer is
// for the notes and for the slack of the output.
func (l Limits) shownRoom() int {
	l.OutputTokens = min(l.OutputTokens, shownTokens)
	return l.room(notesBytes + l.OutputBytes()/shell.SlackDivisor)
}

// withFoundLimits returns a copy of the Env with the limits for search results.
func (e *Env) withFoundLimits() *Env {
	found := *e
	found.Limits = e.Limits.searchLimits()
	return &found
}

func atLeastOne(limit int) int {
	if limit < 1 {
		return 1 << 30
	}
	return limit
}

// Numbers of bytes of an answer that are reserved for other texts than the requested content.
const (
	// headingBytes is for the line that names the shown part of the whole.
	headingBytes = 200
	// notesBytes is for the notes on how a command ended and where the rest of its output is
	// kept.
	notesBytes = 500
)

// room returns the number of bytes of an answer for its content, if the other parts need others
// bytes. Content gets at least a quarter of the answer.
func (l Limits) room(others int) int {
	limit := l.OutputBytes()
	return max(limit-others, limit/4)
}

// bound cuts an answer that exceeds the limits, mostly an error message. Most tools limit their
// answers themselves.
func (l Limits) bound(a Answer) Answer {
	limit := l.OutputBytes()
	a.Error = shorten(a.Error, limit/2)
	a.Text = shorten(a.Text, max(limit-len(a.Error)-len(a.Note), limit/4))
	return a
}

func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	// These bytes are reserved for the note with the size of the missing part.
	const note = 50
	limit = max(limit-note, 0)
	if first := lines.Split(text)[0]; len(first) > limit {
		return lines.Cut(first, limit)
	}
	return lines.Head(text, limit)
}

// fitting returns how many of the lines fit in the given number of bytes. It returns at least
// one.
func fitting(list []string, room int) int {
	for i, line := range list {
		if room -= len(line) + 1; room < 0 {
			return max(i, 1)
		}
	}
	return len(list)
}

// part returns a note with the shown part of a list and the way to continue, or "" if the answer
// shows the whole list. A total of 0 means that the total is unknown, but larger than shown.
func part(what string, first, shown, total int, narrow string) string {
	last := first + shown - 1
	what = humanize.Plural(what)
	switch {
	case first == 1 && last == total:
		return ""
	case last == total:
		return fmt.Sprintf("[%s %d-%d of %d]", what, first, last, total)
	case total == 0:
		return fmt.Sprintf("[%s %d-%d; there are more: continue with offset %d%s]", what, first, last, last+1, narrow)
	}
	return fmt.Sprintf("[%s %d-%d of %d; continue with offset %d%s]", what, first, last, total, last+1, narrow)
}

// maxListed limits the items that an answer lists.
const maxListed = 1000

// listed returns an answer with the items of a list from an offset on, one on each line, below a
// heading. heading may be empty. It lists as many items as fit, up to the limit most. The argument
// what is the noun for an item in the singular, and narrow is advice how to narrow the list. line
// returns the line of an item.
func listed[T any](limits Limits, heading string, all []T, offset, most int, what, narrow string, line func(T) string) Answer {
	if err := checkOffset(offset, len(all), what); err != nil {
		return failedAnswer(err)
	}
	first := max(offset, 1)
	var list []string
	for _, item := range all[first-1 : min(len(all), first-1+most)] {
		list = append(list, line(item))
	}
	room := limits.room(len(heading) + headingBytes)
	list = list[:fitting(list, room)]
	list[0] = lines.Cut(list[0], room)
	text := heading + strings.Join(list, "\n") + "\n"
	if note := part(what, first, len(list), len(all), narrow); note != "" {
		text = lines.Append(text, note)
	}
	return Answer{Text: text, Summary: humanize.Count(len(all), what)}
}

// checkOffset refuses an offset that is negative or past the end of a list.
func checkOffset(offset, total int, what string) error {
	switch {
	case offset < 0:
		return fmt.Errorf("offset must be at least 1, not %d", offset)
	case offset > max(total, 1):
		return fmt.Errorf("offset %d is past the end: there are %s", offset, humanize.Count(total, what))
	}
	return nil
}
