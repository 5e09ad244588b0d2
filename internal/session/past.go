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
	turn := 0
	for _, e := range j {
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
			if point.Cleared = true; !onLine {
				continue
			}
		case rewindPayload:
			tip := j.tip(e.seq)
			if current[tip] || tip == 0 {
				continue
			}
			points = slices.DeleteFunc(points, func(p history.Point) bool { return p.End() && j.tip(p.Seq) == tip })
		default:
			continue
		}
		points = append(points, point)
	}
	return points
}

// tip is the latest record that led to the state before seq, 0 when nothing did.
func (j journal) tip(seq uint64) uint64 {
	for i := j.until(seq) - 1; i >= 0; i-- {
		back, ok := j[i].change.(rewindPayload)
		if !ok {
			return j[i].seq
		}
		i = j.until(back.To)
	}
	return 0
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
