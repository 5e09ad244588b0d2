package session

import (
	"bytes"
	"errors"
	"math"
	"slices"

	"agent/internal/base/fsutil"
	"agent/internal/history"
)

// LogSnapshot is a snapshot of a conversation's whole log. With it, the conversation can return to an earlier
// state.
type LogSnapshot struct {
	log    *Log
	player *player
}

// Snapshot reads the log up to now, including records that wait for space on the disk.
func (l *Log) Snapshot() (*LogSnapshot, error) {
	lines, err := l.soFar()
	if err != nil {
		return nil, err
	}
	p, err := read(lines)
	if err != nil {
		return nil, err
	}
	return &LogSnapshot{l, p}, nil
}

// State returns the state that the log describes up to now.
func (l *Log) State() (State, error) {
	lines, err := l.soFar()
	if err != nil {
		return State{}, err
	}
	return replay(lines)
}

// soFar returns the records up to now. It copies them to memory if some wait for space on the disk or for
// the first entry.
func (l *Log) soFar() (text, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.disk.waiting) == 0 {
		return stored(l.path, l.disk.size), nil
	}
	var written []byte
	if l.disk.size > 0 {
		var err error
		if written, err = fsutil.ReadBeginning(l.path, l.disk.size); err != nil {
			return nil, err
		}
	}
	all := append([][]byte{written}, l.disk.waiting...)
	if l.disk.torn {
		all[0] = append(written, '\n')
	}
	return openText(bytes.NewReader(slices.Concat(all...))), nil
}

// OpenBefore returns the state of the log at path before record seq. The log may be in use.
func OpenBefore(path string, seq uint64) (State, error) {
	lines, err := textAt(path)
	if err != nil {
		return State{}, err
	}
	p, err := read(lines)
	if err != nil {
		return State{}, err
	}
	return p.at(seq)
}

// Before returns the state of the conversation before record seq. The observed history can only be rewound
// to the Entries of the state that Before returned last.
func (p *LogSnapshot) Before(seq uint64) (State, error) {
	state, err := p.player.at(seq)
	if err != nil {
		return State{}, err
	}
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.log.rewinding = past{seq, state.timeline}
	return state, nil
}

// Points returns the points to which a rewind can return, in the order of the log. They are all messages of
// the user, including those on abandoned branches, and the ends of the abandoned branches.
func (p *LogSnapshot) Points() ([]history.Point, error) {
	in, err := openPages(p.player.text)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return p.player.journal.points(in)
}

// points lists the points of a journal. in provides the records and the messages of the points.
func (j journal) points(in *pages) ([]history.Point, error) {
	current := make(map[uint64]bool)
	for _, e := range j.line(math.MaxUint64) {
		current[e.seq] = true
	}
	messages := make(map[uint64]*history.Content)
	var points []history.Point
	continued, latest := j.continuedTips(), j.latestAbandoned(current)
	turn := 0
	for i, e := range j {
		point := history.Point{Seq: e.seq}
		onLine := current[e.seq]
		switch {
		case e.message:
			message, at, err := in.entry(e)
			if err != nil {
				return nil, err
			}
			messages[e.seq] = message
			if point.Message, point.At = message, at; onLine {
				turn++
				point.Turn = turn
			}
		case e.clears && onLine:
			point.Cleared, point.Last = true, messages[j.latest(i, func(e event) bool { return e.message })]
		case e.rewinds():
			tip := j.tip(i)
			if tip == 0 || current[tip] || continued[tip] && i != latest {
				continue
			}
			point.Last = messages[j.latest(i, func(e event) bool { return e.message })]
			points = slices.DeleteFunc(points, func(p history.Point) bool {
				at, _ := j.find(p.Seq)
				return p.IsEnd() && j.tip(at) == tip
			})
		default:
			continue
		}
		if point.IsEnd() {
			r, _, err := in.record(e)
			if err != nil {
				return nil, err
			}
			point.At = r.Time
		}
		points = append(points, point)
	}
	return points, nil
}

// tip returns the latest entry, compression or clear before the event at index i, or 0 for none. Other
// records, such as a todo list that a rewind restored, do not begin a branch.
func (j journal) tip(i int) uint64 { return j.latest(i, func(e event) bool { return e.speaks }) }

// latestAbandoned returns the index of the latest rewind that abandoned a branch, or -1 for none. Returning
// to the end of that branch undoes the rewind, even if the conversation had already continued from there.
func (j journal) latestAbandoned(current map[uint64]bool) int {
	for i, e := range slices.Backward(j) {
		if !e.rewinds() {
			continue
		}
		if tip := j.tip(i); tip != 0 && !current[tip] {
			return i
		}
	}
	return -1
}

// continuedTips returns the tips that other events follow, which are therefore not ends of branches.
func (j journal) continuedTips() map[uint64]bool {
	after := make(map[uint64]bool)
	for i, e := range j {
		if e.speaks {
			after[j.tip(i)] = true
		}
	}
	return after
}

// past is a state to which the history can be rewound.
type past struct {
	seq      uint64
	timeline timeline
}

// errNoPast is returned for a rewind to a state that Before did not return.
var errNoPast = errors.New("internal error: the conversation returned to an unknown entry. Start a new session")

// rewind returns the record of a rewind and switches to the earlier timeline.
func (l *Log) rewind(_ uint64, m history.Mutation) (change, error) {
	then := l.rewinding
	l.rewinding = past{}
	if then.seq != m.To || !slices.Equal(then.timeline.entries(), m.Entries) {
		return change{}, errNoPast
	}
	l.timeline = then.timeline
	return change{kind: TypeRewind, payload: rewindPayload{To: m.To}}, nil
}

// ReadConversation returns every message, call and answer of the log at path, in order, without the branches
// that a rewind abandoned. Pruning, compression and /clear remove nothing from it; each is a separate
// passage.
func ReadConversation(path string) ([]history.Passage, error) {
	lines, err := textAt(path)
	if err != nil {
		return nil, err
	}
	return conversation(lines)
}

// Conversation returns every message, call and answer of the log up to now, like the function Conversation.
func (l *Log) Conversation() ([]history.Passage, error) {
	lines, err := l.soFar()
	if err != nil {
		return nil, err
	}
	return conversation(lines)
}

func conversation(lines text) ([]history.Passage, error) {
	p, err := read(lines)
	if err != nil {
		return nil, err
	}
	in, err := openPages(p.text)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var passages []history.Passage
	for _, e := range p.journal.line(math.MaxUint64) {
		if !e.speaks && !e.prunes {
			continue
		}
		r, payload, err := in.record(e)
		if err != nil {
			return nil, err
		}
		passage := history.Passage{At: r.Time}
		switch payload := payload.(type) {
		case *history.Content:
			passage.Entry = payload
		case clearPayload:
			passage.Cleared = true
		case densityPayload:
			passage.Left = leftBy(payload.Prunes)
		case compressionPayload:
			passage.Left = leftBy(payload.Prunes)
		}
		if passage.Entry != nil || passage.Cleared || len(passage.Left) > 0 {
			passages = append(passages, passage)
		}
	}
	return passages, nil
}

// leftBy returns the content that a density record or a compression removed from the context.
func leftBy(payloads []prunePayload) []history.Prune {
	prunes := make([]history.Prune, len(payloads))
	for i, p := range payloads {
		prunes[i] = p.Prune
	}
	return prunes
}
