package attach

import (
	"bytes"
	"crypto/rand"
	"maps"
	"slices"
	"strconv"
	"sync"

	"agent/internal/base/rawjson"
)

// MaxKeptBytes is the total size, in bytes, from which the oldest lines are dropped, up to a line at rest.
const MaxKeptBytes = 1 << 20

// restless is the multiple of MaxKeptBytes from which lines are dropped even if no line is at rest.
const restless = 8

// A Line is an event of the session.
type Line struct {
	// Value is encoded as a JSON object whose first member is its type. It is encoded once a client
	// receives it, and must not change before. Size estimates the length of the object, in bytes.
	Value any
	Size  int
	// Rest is set if the record contains everything up to this line, unless it is incomplete. A client can
	// start here.
	Rest bool
	// Board is set if boards receive the line, not only clients that follow the session.
	Board bool
	// Asks is the id of the question that the line contains. Settles is the id of a question that no longer
	// needs an answer. Both are 0 for none.
	Asks, Settles int
}

// numbered is a line of a Hub. data is the object with its number, or nil until it is encoded. For a line
// at rest, place is the number of the latest record.
type numbered struct {
	Line
	data  []byte
	place uint64
}

// encode encodes a line with its number. If that fails, the line has no data.
func (l *numbered) encode(number uint64) {
	if l.Value == nil {
		return
	}
	if text, err := rawjson.Marshal(l.Value); err == nil {
		l.data = withNumber(text, number)
	}
	l.Value = nil
}

// A Hub holds the latest lines of a session for its clients. Until the first client joins, it encodes only
// lines for boards, and drops the lines before the latest line at rest. It is safe for concurrent use, and
// Add never waits.
type Hub struct {
	// run identifies this Hub. Line numbers are valid for one Hub only.
	run   string
	kept  int
	place func() uint64

	mu    sync.Mutex
	lines []numbered
	size  int
	// before is the number of the latest dropped line. start was the number of the latest record at that
	// line.
	before, start uint64
	// asked holds the lines of open questions, even if they were dropped from the Hub.
	asked map[int]numbered
	// joined is set once a client has joined.
	joined bool
	// state is the latest line for boards that is not a question, or nil for none.
	state []byte
	// changed is closed when the next line is added.
	changed chan struct{}
	ended   bool
}

// NewHub returns a Hub without lines. place returns the number of the latest record of the session, or 0 if
// the record is incomplete.
func NewHub(place func() uint64) *Hub {
	return &Hub{run: rand.Text()[:12], kept: MaxKeptBytes, place: place, start: place(), asked: map[int]numbered{}, changed: make(chan struct{})}
}

// Add adds a line.
func (h *Hub) Add(line Line) {
	place := uint64(0)
	if line.Rest {
		place = h.place()
		line.Rest = place > 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	number := h.before + uint64(len(h.lines)) + 1
	one := numbered{Line: line, place: place}
	if line.Board {
		one.encode(number)
		one.Size = len(one.data)
	}
	if line.Rest && !h.joined {
		h.lines, h.size, h.before, h.start = nil, 0, number, place
		return
	}
	switch {
	case line.Asks > 0:
		h.asked[line.Asks] = one
	case line.Settles > 0:
		delete(h.asked, line.Settles)
	case line.Board:
		h.state = one.data
	}
	h.lines = append(h.lines, one)
	h.size += one.Size
	h.trim()
	if h.joined {
		h.wake()
	}
}

// End reports to the clients that the session has ended.
func (h *Hub) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	h.wake()
}

func (h *Hub) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// trim drops the oldest lines. It stops after a line at rest, unless there is none.
func (h *Hub) trim() {
	if h.size <= h.kept {
		return
	}
	over, drop := h.size-h.kept, 0
	for i, passed := 0, 0; i < len(h.lines); i++ {
		passed += h.lines[i].Size
		if h.lines[i].Rest {
			drop = i + 1
			if passed >= over {
				break
			}
		}
	}
	if drop == 0 && h.size > restless*h.kept {
		drop = (len(h.lines) + 1) / 2
	}
	for _, line := range h.lines[:drop] {
		h.size -= line.Size
	}
	if drop > 0 && h.lines[drop-1].Rest {
		h.start = h.lines[drop-1].place
	}
	h.before += uint64(drop)
	h.lines = slices.Delete(h.lines, 0, drop)
}

// join returns the answer to a join. after is the number of the line after which lines are sent.
func (h *Hub) join(j JoinRequest) (joined JoinReply, after uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.joined = true
	joined = JoinReply{Type: "joined", Run: h.run, Record: h.start, Snapshot: true, After: h.before, State: h.state}
	switch {
	case j.Watch:
		joined.Snapshot, joined.After = false, h.before+uint64(len(h.lines))
	case j.Run == h.run && j.After >= h.before && j.After <= h.before+uint64(len(h.lines)):
		joined.Snapshot, joined.After = false, j.After
	}
	for _, id := range slices.Sorted(maps.Keys(h.asked)) {
		if asked := h.asked[id]; j.Watch || joined.Snapshot && numberOf(asked.data) <= joined.After {
			joined.Open = append(joined.Open, asked.data)
		}
	}
	return joined, joined.After
}

// next returns the lines after the line with a number, and the number of the last of them. behind is set if
// some of them were dropped. more is closed when there are more lines; it is nil once the session has
// ended.
func (h *Hub) next(after uint64, watch bool) (lines [][]byte, last uint64, behind bool, more <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if after < h.before {
		return nil, after, true, nil
	}
	const atOnce = 256
	last = after
	waiting := h.lines[after-h.before:]
	for i := range waiting {
		if len(lines) == atOnce {
			break
		}
		last++
		line := &waiting[i]
		if watch && !line.Board {
			continue
		}
		if line.encode(last); line.data == nil {
			continue
		}
		h.size += len(line.data) - line.Size
		line.Size = len(line.data)
		lines = append(lines, line.data)
	}
	if h.ended && last == h.before+uint64(len(h.lines)) {
		return lines, last, false, nil
	}
	return lines, last, false, h.changed
}

// member is the JSON member name of the number of a line.
const member = `,"n":`

// withNumber inserts the number of a line as its second member.
func withNumber(data []byte, number uint64) []byte {
	at := bytes.IndexByte(data, ',')
	if at < 0 {
		at = len(data) - 1
	}
	return slices.Concat(data[:at], strconv.AppendUint([]byte(member), number, 10), data[at:])
}

// numberOf returns the number of a line that withNumber returned.
func numberOf(data []byte) (number uint64) {
	_, rest, _ := bytes.Cut(data, []byte(member))
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		number = number*10 + uint64(c-'0')
	}
	return number
}
