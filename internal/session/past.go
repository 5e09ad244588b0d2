package session

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"

	"agent/internal/history"
)

// Past is all that a log says of a conversation, for going back in it. It is a
// snapshot.
type Past struct {
	log    *Log
	player *player
}

// Past reads the log up to now. What waits for room on the disk is part of it.
func (l *Log) Past() (*Past, error) {
	l.mu.Lock()
	waiting, size, path := bytes.Join(l.disk.waiting, nil), l.disk.size, l.path
	l.mu.Unlock()
	var written io.Reader = bytes.NewReader(nil)
	if size > 0 {
		in, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		written = io.LimitReader(in, size)
	}
	p, err := read(io.MultiReader(written, bytes.NewReader(waiting)))
	if err != nil {
		return nil, err
	}
	return &Past{l, p}, nil
}

// Before is the state that the conversation was in before record seq. The history that
// the log observes may be rewound to its Entries, until it is asked again.
func (p *Past) Before(seq uint64) State {
	state := p.player.at(seq)
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.log.rewinding = past{seq, state.timeline}
	return state
}

// Points are the places to go to, in the order of the record: the messages of the user,
// those on lines that were left behind too, and the ends of such lines.
func (p *Past) Points() []history.Point {
	j := p.player.journal
	current := make(map[uint64]bool)
	for _, e := range j.line(p.player.state.seq + 1) {
		current[e.seq] = true
	}
	return j.points(current)
}

// points lists the points of a journal; current are the events of its line.
func (j journal) points(current map[uint64]bool) []history.Point {
	var points []history.Point
	goesOn := j.goesOn()
	turn := 0
	for i, e := range j {
		point := history.Point{Seq: e.seq, At: e.at}
		onLine := current[e.seq]
		switch change := e.change.(type) {
		case *history.Content:
			if !change.IsMessage() {
				continue
			}
			if point.Message = change; onLine {
				turn++
				point.Turn = turn
			}
		case clearPayload:
			if point.Cleared, point.Last = true, j.said(i); !onLine {
				continue
			}
		case rewindPayload:
			tip := j.tip(i)
			if tip == 0 || current[tip] || goesOn[tip] {
				continue
			}
			point.Last = j.said(i)
			points = slices.DeleteFunc(points, func(p history.Point) bool { return p.End() && j.tip(j.until(p.Seq)) == tip })
		default:
			continue
		}
		points = append(points, point)
	}
	return points
}

// before calls f for the events that led to the state before the one at index i, the
// latest first, until f returns false.
func (j journal) before(i int, f func(event) bool) {
	for i--; i >= 0; i-- {
		if back, ok := j[i].change.(rewindPayload); ok {
			i = j.until(back.To)
			continue
		}
		if !f(j[i]) {
			return
		}
	}
}

// tip is the latest record of what was said, compressed or cleared before the event at
// index i, 0 when there is none. What only keeps books, such as a todo list that going
// back has brought back, makes no line of the conversation.
func (j journal) tip(i int) (seq uint64) {
	j.before(i, func(e event) bool {
		if e.speaks() {
			seq = e.seq
		}
		return seq == 0
	})
	return seq
}

// goesOn are the tips after which something came: no line ends there.
func (j journal) goesOn() map[uint64]bool {
	after := make(map[uint64]bool)
	for i, e := range j {
		if e.speaks() {
			after[j.tip(i)] = true
		}
	}
	return after
}

// said is the latest message of the user before the event at index i, nil for none.
func (j journal) said(i int) (message *history.Content) {
	j.before(i, func(e event) bool {
		if entry, ok := e.change.(*history.Content); ok && entry.IsMessage() {
			message = entry
		}
		return message == nil
	})
	return message
}

// speaks reports whether an event is part of what a conversation is: something said, a
// compression, a clear.
func (e event) speaks() bool {
	switch e.change.(type) {
	case *history.Content, compressionPayload, clearPayload:
		return true
	}
	return false
}

// past is a state that the history may go back to.
type past struct {
	seq      uint64
	timeline timeline
}

// errNoPast is returned for a rewind to a state that Before has not given.
var errNoPast = errors.New("internal error: the conversation went back to something that was not read from its record; start a new session")

// rewind is the record of going back, and makes the timeline that of then.
func (l *Log) rewind(_ uint64, m history.Mutation) (change, error) {
	then := l.rewinding
	l.rewinding = past{}
	if then.seq != m.To || !slices.Equal(then.timeline.entries(), m.Entries) {
		return change{}, errNoPast
	}
	l.timeline = then.timeline
	return change{kind: TypeRewind, payload: rewindPayload{To: m.To}}, nil
}
