package attach

import (
	"bytes"
	"crypto/rand"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// Kept is the size from which the oldest lines are dropped, in bytes, up to a line at rest.
const Kept = 1 << 20

// restless is the multiple of the size from which lines are dropped even if no line is at rest.
const restless = 8

// A Line is something that happened in the session.
type Line struct {
	// Data is a JSON object whose first member is its type.
	Data []byte
	// Rest is set if the record holds everything up to this line, so that a client can start here.
	Rest bool
	// Board is set if boards receive the line, not only clients that follow the session.
	Board bool
	// Asks is the id of the question that the line asks, and Settles the id of a question that needs
	// no answer any more; 0 for none.
	Asks, Settles int
}

// numbered is a line of a Hub. place is the number of the latest record, for a line at rest.
type numbered struct {
	Line
	place uint64
}

// A Hub holds the latest lines of a session for its clients. It is safe for concurrent use, and Add
// never waits.
type Hub struct {
	// run identifies this Hub. Numbers of lines mean nothing in another one.
	run   string
	kept  int
	place func() uint64

	mu    sync.Mutex
	lines []numbered
	size  int
	// before is the number of the latest dropped line, and start the number of the latest record then.
	before, start uint64
	// asked holds the lines of open questions, also after they were dropped.
	asked map[int]numbered
	// state is the latest line for boards that is no question, nil for none.
	state []byte
	// changed is closed at the next line.
	changed chan struct{}
	ended   bool
}

// NewHub returns a Hub without lines. place returns the number of the latest record of the session.
func NewHub(place func() uint64) *Hub {
	return &Hub{run: rand.Text()[:12], kept: Kept, place: place, start: place(), asked: map[int]numbered{}, changed: make(chan struct{})}
}

// Add adds a line.
func (h *Hub) Add(line Line) {
	place := uint64(0)
	if line.Rest {
		place = h.place()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	number := h.before + uint64(len(h.lines)) + 1
	one := numbered{line, place}
	one.Data = withNumber(line.Data, number)
	switch {
	case line.Asks > 0:
		h.asked[line.Asks] = one
	case line.Settles > 0:
		delete(h.asked, line.Settles)
	case line.Board:
		h.state = one.Data
	}
	h.lines = append(h.lines, one)
	h.size += len(one.Data)
	h.trim()
	h.wake()
}

// End tells the clients that the session has ended.
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

// trim drops the oldest lines. It stops behind a line at rest, unless there is none.
func (h *Hub) trim() {
	if h.size <= h.kept {
		return
	}
	over, drop := h.size-h.kept, 0
	for i, passed := 0, 0; i < len(h.lines); i++ {
		passed += len(h.lines[i].Data)
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
		h.size -= len(line.Data)
	}
	if drop > 0 && h.lines[drop-1].Rest {
		h.start = h.lines[drop-1].place
	}
	h.before += uint64(drop)
	h.lines = slices.Delete(h.lines, 0, drop)
}

// join returns the answer to a join, and the number after which lines follow.
func (h *Hub) join(j Join) (joined Joined, after uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	joined = Joined{Type: "joined", Run: h.run, Record: h.start, Snapshot: true, After: h.before, State: h.state}
	switch {
	case j.Watch:
		joined.Snapshot, joined.After = false, h.before+uint64(len(h.lines))
	case j.Run == h.run && j.After >= h.before && j.After <= h.before+uint64(len(h.lines)):
		joined.Snapshot, joined.After = false, j.After
	}
	for _, id := range slices.Sorted(maps.Keys(h.asked)) {
		if asked := h.asked[id]; j.Watch || joined.Snapshot && numberOf(asked.Data) <= joined.After {
			joined.Open = append(joined.Open, asked.Data)
		}
	}
	return joined, joined.After
}

// next returns the lines after a number, and the number of the last of them. behind is set if some of
// them were dropped. more is closed when there are more lines, nil once the session has ended.
func (h *Hub) next(after uint64, watch bool) (lines [][]byte, last uint64, behind bool, more <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if after < h.before {
		return nil, after, true, nil
	}
	const atOnce = 256
	last = after
	for _, line := range h.lines[after-h.before:] {
		if len(lines) == atOnce {
			break
		}
		last++
		if !watch || line.Board {
			lines = append(lines, line.Data)
		}
	}
	if h.ended && last == h.before+uint64(len(h.lines)) {
		return lines, last, false, nil
	}
	return lines, last, false, h.changed
}

// member is the name of the number in a line.
const member = `,"n":`

// withNumber adds the number of a line as its second member.
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
