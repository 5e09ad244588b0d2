package shell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"agent/internal/base/humanize"
	"agent/internal/text/lines"
)

// output collects the output of a command. It keeps the beginning and the end in memory, and
// writes everything to a spool file once the memory is full. Its size in memory does not depend
// on the size of the output. It is safe for concurrent use.
type output struct {
	mu sync.Mutex
	// head is the beginning of the output, at most headMax bytes. tail is the following text, whose
	// last tailMax bytes at least are kept.
	head, tail       []byte
	headMax, tailMax int
	// slack is the number of bytes by which the output may exceed its limit without a cut. Cutting
	// fewer bytes would not be worth the loss.
	limit, slack int
	// fit, if not nil, shortens the text to the limit (Command.Fit).
	fit   func(text string, limit int) (head, tail string, omitted bool)
	total int64
	lines int64

	spoolDir string
	spool    *spool
	// room is the number of bytes that all output files together may still use.
	room *atomic.Int64
	// changed is closed at the next write. It is nil if no caller waits.
	changed chan struct{}
}

// maxOutputBytes limits the output in memory, even if the limit on results is larger.
const maxOutputBytes = 1 << 20

// SlackDivisor is the limit of an output divided by its slack.
const SlackDivisor = 10

// fitBytes is the size of an output that is kept in memory so that fit can shorten it. An output of
// up to unfitted bytes is too short for fit to omit lines.
const fitBytes, unfitted = 256 << 10, 1900

// newOutput returns an output whose text has about limit bytes. If spoolDir is empty, the removed
// part is lost. fit is as in Command.
func newOutput(limit int, fit func(string, int) (head, tail string, omitted bool), spoolDir string, room *atomic.Int64) *output {
	o := &output{limit: min(limit, maxOutputBytes), fit: fit, spoolDir: spoolDir, room: room}
	o.slack = o.limit / SlackDivisor
	held := o.limit
	if fit != nil {
		held = max(held, fitBytes)
	}
	o.headMax = headOf(held)
	o.tailMax = held - o.headMax
	return o
}

// headOf returns the part of a size that is for the beginning of an output. The end gets the larger
// part, because programs usually report errors there.
func headOf(size int) int { return size * 2 / 5 }

// newLog returns an output that is written to a file from the start. A read returns at most limit
// bytes.
func newLog(limit int, spoolDir string, room *atomic.Int64) *output {
	o := &output{tailMax: min(limit, maxOutputBytes), spoolDir: spoolDir, room: room}
	o.limit = o.tailMax
	if spoolDir != "" {
		o.beginSpool()
	}
	return o
}

func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total += int64(len(data))
	o.lines += int64(bytes.Count(data, []byte{'\n'}))
	o.keep(data)
	rest := data
	if n := min(len(rest), o.headMax-len(o.head)); n > 0 {
		o.head = append(o.head, rest[:n]...)
		rest = rest[n:]
	}
	o.tail = humanize.KeepEnd(append(o.tail, rest...), o.tailMax+o.slack)
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
	return len(data), nil
}

// keep writes data to the spool. If it creates the spool, it first writes the text in memory. It is
// called before data is added to head and tail.
func (o *output) keep(data []byte) {
	if o.spool == nil {
		uncut := o.limit + o.slack
		if o.fit != nil {
			uncut = min(uncut, unfitted)
		}
		if o.spoolDir == "" || o.total <= int64(uncut) {
			return
		}
		o.beginSpool()
	}
	o.spool.write(data)
}

// beginSpool creates the file and writes the text in memory to it.
func (o *output) beginSpool() {
	o.spool = newSpool(o.spoolDir, spoolLimit, o.room)
	o.spool.write(o.head)
	o.spool.write(o.tail)
}

// close closes the spool. Nothing is written afterwards.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spool != nil {
		o.spool.close()
	}
}

// follow begins to write the output to a file, as an output from newLog does from the start. It returns
// the number of bytes so far.
func (o *output) follow() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spool == nil && o.spoolDir != "" {
		o.beginSpool()
	}
	o.headMax, o.tailMax = len(o.head), o.limit-headOf(o.limit)
	return o.total
}

// text returns the output. If it is too long, a note replaces its middle. spooled is the file
// with the whole output, or empty if there is none.
func (o *output) text() (text, spooled string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all, inMemory := "", o.total == int64(len(o.head)+len(o.tail))
	if inMemory {
		all = string(o.head) + string(o.tail)
	}
	var head, tail string
	switch {
	case inMemory && o.fit != nil:
		var omitted bool
		head, tail, omitted = o.fit(all, o.limit+o.slack)
		if tail == "" && omitted {
			head = lines.Append(head, fmt.Sprintf("[similar lines were omitted; %s]", o.spool.describe()))
		}
		if tail == "" {
			return head, o.spool.path()
		}
	case inMemory && len(all) <= o.limit+o.slack:
		return all, o.spool.path()
	default:
		if !inMemory {
			all = string(o.head)
		}
		head = wholeLinesBefore(all[:min(len(all), headOf(o.limit))])
		all = string(o.head) + string(o.tail)
		tail = wholeLinesAfter(all[len(all)-min(len(all), o.limit-headOf(o.limit)):])
	}
	gone := o.total - int64(len(head)+len(tail))
	goneLines := max(o.lines-int64(strings.Count(head, "\n")+strings.Count(tail, "\n")), 0)
	note := fmt.Sprintf("[%s, %d lines, left out here; %s]\n", humanize.Bytes(gone), goneLines, o.spool.describe())
	return head + note + tail, o.spool.path()
}

// textSince returns the output after the first offset bytes. lost is the number of these bytes that
// are no longer in memory. next is the offset for the next call.
func (o *output) textSince(offset int64) (text string, lost, next int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	tail := o.tail[max(len(o.tail)-o.tailMax, 0):]
	begin := o.total - int64(len(tail))
	if offset >= begin {
		return string(tail[offset-begin:]), 0, o.total
	}
	text = wholeLinesAfter(string(tail))
	return text, o.total - offset - int64(len(text)), o.total
}

// lastBytes returns the end of the output, at most limit bytes.
func (o *output) lastBytes(limit int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text, whole := o.tail, o.total == int64(len(o.head)+len(o.tail))
	if whole {
		text = slices.Concat(o.head, o.tail)
	}
	cut := max(0, len(text)-limit)
	if whole && cut == 0 {
		return string(text)
	}
	return wholeLinesAfter(string(text[cut:]))
}

// spoolNote returns a note with the path of the file with the whole output.
func (o *output) spoolNote() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spool.describe()
}

// wait returns a channel that is closed when more than offset bytes have been printed.
func (o *output) wait(offset int64) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.total > offset {
		now := make(chan struct{})
		close(now)
		return now
	}
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

// size returns the number of printed bytes.
func (o *output) size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total
}

// wholeLinesBefore drops an unfinished line at the end, unless it is the only line.
func wholeLinesBefore(text string) string {
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		return text[:end+1]
	}
	return lines.TrimPartialRune(text) + "\n"
}

// wholeLinesAfter drops an incomplete line at the start, unless it is the only line.
func wholeLinesAfter(text string) string {
	if begin := strings.IndexByte(text, '\n'); begin >= 0 && begin+1 < len(text) {
		return text[begin+1:]
	}
	return strings.ToValidUTF8(text, "")
}

// lineCount returns the number of printed lines, including an unfinished last line.
func (o *output) lineCount() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := o.tail
	if len(last) == 0 {
		last = o.head
	}
	if n := len(last); n > 0 && last[n-1] != '\n' {
		return int(o.lines) + 1
	}
	return int(o.lines)
}
