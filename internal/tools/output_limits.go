package tools

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/shell"
	"agent/internal/text/lines"
)

// bytesPerToken is the usual size of a token of text and code, near enough to bound results
// without counting.
const bytesPerToken = 4

// OutputBytes returns OutputTokens in bytes. A value below 1 sets no limit.
func (l Limits) OutputBytes() int { return atLeastOne(l.OutputTokens) * bytesPerToken }

// readLines returns ReadLines. A value below 1 sets no limit.
func (l Limits) readLines() int { return atLeastOne(l.ReadLines) }

// searchLimits returns the limits for output of commands and for search results. Most of that is seldom
// needed, and little of it is quoted. The model can get the rest from a file or by continuing.
func (l Limits) searchLimits() Limits {
	l.OutputTokens = min(l.OutputTokens, atLeastOne(l.FoundTokens))
	return l
}

// shownTokens limits the answer of a command that shows files, such as cat. The rest is in a file
// that the answer names. read_file has the larger limit.
const shownTokens = 4000

// shownRoom returns the bytes of output of a command that shows files. They leave room for the notes
// and for the slack of the output.
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

// Space in an answer that is not for the requested content, in bytes.
const (
	// headingBytes is for the line that says which part of the whole is shown.
	headingBytes = 200
	// notesBytes is for the notes on how a command ended and where the rest of its output is
	// kept.
	notesBytes = 500
)

// room returns the number of bytes of an answer that its content may take if the other parts take
// others bytes. Content gets at least a quarter of the answer.
func (l Limits) room(others int) int {
	limit := l.OutputBytes()
	return max(limit-others, limit/4)
}

// bound cuts an answer that the tool has not kept within the limits itself, mostly an error
// message.
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
	// The note that says how much is missing needs room.
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

// part says which part of a list an answer shows and how to continue, or nothing if the answer shows
// the whole list. A total of 0 means that the total is not known, but larger than shown.
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

// listed answers with the items of a list from an offset on, one on each line, below a heading,
// which may be empty. It lists as many items as fit, and no more than most. The last arguments
// are the noun for an item in the singular, advice how to narrow the list, and a function that
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
		return fmt.Errorf("offset counts from 1, not %d", offset)
	case offset > max(total, 1):
		return fmt.Errorf("offset %d is past the end: there are %s", offset, humanize.Count(total, what))
	}
	return nil
}
