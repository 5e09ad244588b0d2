package shell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"agent/internal/text/lines"
	"agent/internal/words"
)

// output collects what a command prints: the beginning and the end in memory, all
// of it in a spool once memory does not hold it. Its size in memory does not depend
// on how much is printed. It is safe for parallel use.
type output struct {
	mu sync.Mutex
	// head is the beginning, up to headMax bytes; tail what follows it, of which
	// the last tailMax bytes are kept at least.
	head, tail       []byte
	headMax, tailMax int
	// slack is how many bytes the output may be longer without being cut: a cut that saves
	// less costs the reader more than it saves.
	slack int
	total int64
	lines int64

	spoolDir string
	spool    *spool
	// room is what the files of all outputs share.
	room *atomic.Int64
	// changed is closed at the next write; nil while nobody waits for it.
	changed chan struct{}
}

// maxOutputBytes bounds what is held in memory when the results are not bounded.
const maxOutputBytes = 1 << 20

// slackShare is the divisor of an output's limit that gives its slack.
const slackShare = 10

// newOutput makes an output whose text comes to about limit bytes. Without a
// spoolDir what does not fit is lost.
func newOutput(limit int, spoolDir string, room *atomic.Int64) *output {
	limit = min(limit, maxOutputBytes)
	// What went wrong is mostly said at the end.
	head := limit * 2 / 5
	return &output{headMax: head, tailMax: limit - head, slack: limit / slackShare, spoolDir: spoolDir, room: room}
}

// newLog makes an output that is kept in a file from the start, to be read in
// pieces of at most limit bytes.
func newLog(limit int, spoolDir string, room *atomic.Int64) *output {
	o := &output{tailMax: min(limit, maxOutputBytes), spoolDir: spoolDir, room: room}
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
	o.tail = words.KeepEnd(append(o.tail, rest...), o.tailMax+o.slack)
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
	return len(data), nil
}

// keep writes to the spool, beginning with what memory holds when it is new. It
// is called before data joins head and tail.
func (o *output) keep(data []byte) {
	if o.spool == nil {
		if o.spoolDir == "" || o.total <= o.uncut() {
			return
		}
		o.beginSpool()
	}
	o.spool.write(data)
}

// uncut returns how many bytes the output can have without being cut.
func (o *output) uncut() int64 { return int64(o.headMax + o.tailMax + o.slack) }

// beginSpool begins the file with what memory holds.
func (o *output) beginSpool() {
	o.spool = newSpool(o.spoolDir, spoolLimit, o.room)
	o.spool.write(o.head)
	o.spool.write(o.tail)
}

// close ends the spool. Nothing is written afterwards.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spool != nil {
		o.spool.close()
	}
}

// follow continues as a log: all of it is in a file, and what is new is read in pieces. It
// returns how much there is.
func (o *output) follow() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spool == nil && o.spoolDir != "" {
		o.beginSpool()
	}
	o.headMax = len(o.head)
	return o.total
}

// text is the output, its middle replaced by a note when it is too long, and the
// path of the file with all of it in that case.
func (o *output) text() (text, spooled string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.total <= o.uncut() {
		return string(o.head) + string(o.tail), o.spool.path()
	}
	head := wholeLinesBefore(string(o.head))
	tail := wholeLinesAfter(string(o.tail[len(o.tail)-o.tailMax:]))
	gone := o.total - int64(len(head)+len(tail))
	goneLines := max(o.lines-int64(strings.Count(head, "\n")+strings.Count(tail, "\n")), 0)
	note := fmt.Sprintf("[%s, %d lines, left out here; %s]\n", words.Bytes(gone), goneLines, o.spool.describe())
	return head + note + tail, o.spool.path()
}

// since returns what was printed after the first offset bytes, as far as it is
// held, how much before it is not, and the offset for the next call.
func (o *output) since(offset int64) (text string, lost, next int64) {
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

// last is the end of the output, at most limit bytes of it.
func (o *output) last(limit int) string {
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

// kept says where the whole output is.
func (o *output) kept() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spool.describe()
}

// wait returns a channel that is closed when more than offset bytes were printed.
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

// size is how much was printed, in bytes.
func (o *output) size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total
}

// wholeLinesBefore drops a line cut in two at the end, unless it is the only one.
func wholeLinesBefore(text string) string {
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		return text[:end+1]
	}
	return lines.WholeRunes(text) + "\n"
}

// wholeLinesAfter drops a line cut in two at the start, unless it is the only one.
func wholeLinesAfter(text string) string {
	if begin := strings.IndexByte(text, '\n'); begin >= 0 && begin+1 < len(text) {
		return text[begin+1:]
	}
	return strings.ToValidUTF8(text, "")
}

// lineCount is how many lines were printed, the last one also without its end.
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
