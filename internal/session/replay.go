package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// NotALogError means that the input contains no session record.
type NotALogError struct{ Problem string }

func (e *NotALogError) Error() string { return "not a session log: " + e.Problem }

// Replay reads a log and returns the state that the log describes. It loses as little as possible to
// damage: it drops an incomplete last line and skips damaged lines, both with a notice. It returns a
// *VersionError for a log of a newer version, a *NotALogError for any other file, and the error of the
// reader. The state reads entries outside of its context only when they are requested.
func Replay(r io.ReaderAt) (State, error) { return replay(openText(r)) }

// Open reads the log at path like Replay. The log may be in use.
func Open(path string) (State, error) {
	t, err := textAt(path)
	if err != nil {
		return State{}, err
	}
	return replay(t)
}

// textAt returns the log at path, up to its current size.
func textAt(path string) (text, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return stored(path, info.Size()), nil
}

func replay(t text) (State, error) {
	p, err := read(t)
	if err != nil {
		return State{}, err
	}
	return p.at(math.MaxUint64)
}

// read reads all records of a log and stores the position of each, without applying them to the
// conversation.
func read(t text) (*player, error) {
	in, err := t()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	p := newPlayer(t)
	lines := newLineReader(in, wholeLog)
	for {
		begin := lines.at
		line, err := lines.next()
		if len(line) > 0 {
			if err := p.line(line, begin, err == nil); err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, unreadable(err)
		}
	}
	const none = math.MaxUint64
	p.release(none)
	if p.last.length > 0 {
		line := make([]byte, p.last.length)
		if _, err := in.ReadAt(line, p.last.at); err != nil {
			return nil, unreadable(err)
		}
		p.state.prev = hashOf(line)
	}
	switch {
	case p.newer != nil && !p.old:
		return nil, p.newer
	case p.state.seq == 0:
		return nil, &NotALogError{p.firstProblem()}
	}
	return p, nil
}

func unreadable(err error) error { return fmt.Errorf("can't read the session log: %w", err) }

// A player processes records in order. It adds records that change the conversation to the journal, and
// applies all other records to the state.
type player struct {
	text    text
	state   State
	journal journal
	number  int
	// held is the latest line if the next line determines whether it is valid.
	held *heldLine
	// announced is the highest version that the writer of the log announced.
	announced int
	// newer is the first line with a higher version than announced.
	newer *VersionError
	// old is set after a line of a version that this program reads.
	old bool
	// last is the position of the last complete line.
	last event
}

func newPlayer(t text) *player {
	return &player{text: t, state: State{Settings: map[string]string{}, Scales: map[string]float64{}, Limits: map[string]history.LearnedLimit{}}, announced: version}
}

func (p *player) at(seq uint64) (State, error) {
	state := p.state
	state.notices = slices.Clone(p.state.notices)
	if err := state.play(p.text, p.journal.line(seq)); err != nil {
		return State{}, err
	}
	slices.SortStableFunc(state.notices, func(a, b notice) int { return cmp.Compare(a.line, b.line) })
	for _, n := range state.notices {
		state.Notices = append(state.Notices, n.text)
	}
	return state, nil
}

// line processes one line, which begins at the offset begin. ended reports whether the line ends in a line
// break.
func (p *player) line(line []byte, begin int64, ended bool) error {
	p.number++
	length := int64(len(line))
	body := bytes.TrimSpace(line)
	if len(body) == 0 {
		p.state.good += length
		return nil
	}
	err := p.apply(body, event{at: begin + int64(bytes.Index(line, body)), length: len(body), line: p.number})
	var newer *VersionError
	switch {
	case errors.As(err, &newer):
		return newer
	case err != nil && !ended:
		p.state.notice(p.number, "the last line was incomplete; its content is lost")
		return nil
	case err != nil:
		p.state.notice(p.number, fmt.Sprintf("skipped line %d: %v", p.number, err))
	}
	p.state.good += length
	p.state.unended = !ended
	p.last = event{at: begin + int64(bytes.Index(line, body)), length: len(body)}
	return nil
}

func (p *player) firstProblem() string {
	if len(p.state.notices) == 0 {
		return "the log is empty"
	}
	return p.state.notices[0].text
}

// apply applies one record. e contains the position of the record. After an error the state is unchanged.
func (p *player) apply(line []byte, e event) error {
	r, err := parse(line)
	var newer *VersionError
	switch {
	case errors.As(err, &newer):
		if err := p.handleNewer(newer); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		p.old = true
	}
	p.release(r.Seq)
	switch {
	case r.Seq <= p.state.seq:
		return fmt.Errorf("duplicate number %d", r.Seq)
	case r.Seq > p.state.seq+1:
		p.held = &heldLine{bytes.Clone(line), r.Seq, e}
		return nil
	}
	return p.applySure(line, r, e)
}

func (p *player) applySure(line []byte, r Record, e event) error {
	r, payload, err := decodeLine(line, r)
	if err != nil {
		return err
	}
	p.state.seq, e.seq = r.Seq, r.Seq
	p.take(r, payload, e)
	return nil
}

// heldLine is a line whose number is too high. Either the lines before it are lost, or its number is
// damaged. In the second case, the numbers of all following lines would seem too low. The next line
// determines which case it is.
type heldLine struct {
	line  []byte
	seq   uint64
	event event
}

// release applies the held line, if there is one. It skips the line if the number of the next line shows
// that the number of the held line is damaged.
func (p *player) release(next uint64) {
	held := p.held
	if held == nil {
		return
	}
	p.held = nil
	if p.state.seq < next && next <= held.seq {
		p.state.notice(held.event.line, fmt.Sprintf("skipped line %d: its record number %d is too high", held.event.line, held.seq))
		return
	}
	r, err := parse(held.line)
	if err == nil || r.Seq == held.seq { // here an error is a higher version, which was handled before
		err = p.applySure(held.line, r, held.event)
	}
	if err != nil {
		p.state.notice(held.event.line, fmt.Sprintf("skipped line %d: %v", held.event.line, err))
	}
}

// decodeLine decodes the payload of a record that parse has read from line. If that fails, it tries
// parseAny, because the cut of parse may have been wrong.
func decodeLine(line []byte, r Record) (Record, any, error) {
	payload, err := decode(r)
	if err != nil {
		if r, err = parseAny(line); err == nil {
			payload, err = decode(r)
		}
	}
	return r, payload, err
}

// handleNewer handles a line of a newer version. A program announces the highest version before it writes
// such lines. A single line without an announcement therefore has a damaged version number, and is applied.
// A second such line is an error.
func (p *player) handleNewer(newer *VersionError) error {
	newer.Line = p.number
	switch {
	case p.newer != nil:
		return p.newer
	case newer.Version <= p.announced:
		return newer
	}
	p.newer = newer
	p.state.notice(p.number, fmt.Sprintf("line %d has format version %d, unlike all other lines. agent ignores this number and uses the rest of the line", p.number, newer.Version))
	return nil
}

func (p *player) take(r Record, payload any, e event) {
	switch payload := payload.(type) {
	case sessionPayload:
		p.session(r, payload)
	case grantsPayload:
		p.state.Grants = payload.Grants
	case serversPayload:
		p.state.Servers = payload.Offered
	case startPayload:
		p.state.Start = payload.Said
	case settingPayload:
		if payload.Value == "" {
			delete(p.state.Settings, payload.Key)
		} else {
			p.state.Settings[payload.Key] = payload.Value
		}
	case jobPayload:
		p.state.Jobs = slices.DeleteFunc(p.state.Jobs, func(j Job) bool { return j.ID == payload.ID })
		if !payload.Ended {
			p.state.Jobs = append(p.state.Jobs, payload.Job)
		}
	case titlePayload:
		p.state.Title = payload.Title
	case waitingPayload:
		p.state.Waiting = payload.applyTo(p.state.Waiting)
	case Agent:
		payload.Recorded = r.Time
		p.state.takeAgent(payload)
	case noticePayload, Note, Action:
	default:
		p.appendEvent(payload, e)
	}
}

// isID reports whether a text can be the id of a session, which is used in file names. If a record has an
// invalid id, it is not from this program, and the session gets its id from the name of the file.
func isID(id string) bool {
	return id != "" && filepath.IsLocal(id) && filepath.Base(id) == id && id != "." && humanize.Line(id, 0) == id
}

func (p *player) session(r Record, payload sessionPayload) {
	if p.state.ID == "" || payload.Parent != "" {
		if p.state.Workspace, p.state.Started = payload.Workspace, r.Time; isID(payload.ID) {
			p.state.ID = payload.ID
		}
	}
	if payload.Parent != "" {
		p.state.Parent = payload.Parent
	}
	p.state.PID, p.state.Since, p.state.Jobs = payload.PID, r.Time, nil
	p.announced = max(payload.Format, version)
}

// FirstNotices shortens the notices of a badly damaged log to the first and a count of the rest.
func FirstNotices(notices []string) []string {
	const most = 5
	if len(notices) <= most+1 {
		return notices
	}
	return append(slices.Clone(notices[:most]), fmt.Sprintf("and %d more such lines; all readable lines are loaded", len(notices)-most))
}
