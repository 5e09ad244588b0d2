package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"agent/internal/history"
)

// State is what a log says.
type State struct {
	ID        string
	Workspace string
	Started   time.Time
	// PID and Since tell which process took the log up last, and when.
	PID   int
	Since time.Time
	// Entries are the current context, the raw history.
	Entries []*history.Content
	// Recorded are the entries as they were added, whatever became of them since:
	// one list for each stretch that a clear ended, and one for what followed.
	Recorded [][]*history.Content
	// Steps are all changes of the history in order, for who needs to know how it came
	// about.
	Steps []history.Step
	// Prunes are all that density took out of the context, in order.
	Prunes []Pruned
	// Todos is the todo list in the form in which it was recorded, nil when there
	// was none.
	Todos json.RawMessage
	// Settings are those changed in the session; a value that was unset is gone.
	Settings map[string]string
	// Jobs are the background commands that ran when the latest program to write the
	// log ended; none after an orderly end.
	Jobs []Job
	// Notices tell what is wrong with the log, for the user; empty for a sound one.
	Notices []string

	timeline timeline
	seq      uint64
	// good is how many bytes of the input hold whole records, unended whether the
	// last of them lacks its line break.
	good       int64
	unended    bool
	hasEntries bool
}

// Pruned is one thing density took out of the context.
type Pruned struct {
	Kind    history.PruneKind
	Subject string
	Reason  string
	// Tokens is what it freed.
	Tokens int
	// Recorded are the places of what was pruned.
	Recorded []history.Recorded
	// Cut says what the pruning it was part of cost and saved, nil if nobody asked.
	Cut *history.Cut
	At  time.Time
	// Turn is the number of the user's message during which it happened, from 1.
	Turn int
}

// NotALogError says that the input holds no session record.
type NotALogError struct{ Problem string }

func (e *NotALogError) Error() string { return "this is not a session log: " + e.Problem }

// Replay reads a log and returns the state it describes. Damage costs as little
// as possible: a torn last line is dropped, a broken one in the middle skipped,
// both with a notice. It fails with a *VersionError for a log of a newer version,
// with a *NotALogError for something else, and with the reader's error.
func Replay(r io.Reader) (State, error) {
	p := newPlayer()
	lines := bufio.NewReaderSize(r, 256<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if err := p.line(line, err == nil); err != nil {
				return State{}, err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return State{}, fmt.Errorf("the session log cannot be read: %w", err)
		}
	}
	if p.state.seq == 0 {
		return State{}, &NotALogError{p.firstProblem()}
	}
	p.state.Entries = p.state.timeline.entries()
	return p.state, nil
}

// player applies records one after the other.
type player struct {
	state  State
	number int
	turn   int
}

func newPlayer() *player {
	return &player{state: State{Settings: map[string]string{}, Recorded: make([][]*history.Content, 1)}}
}

// line applies one line; ended says that it has its line break.
func (p *player) line(line []byte, ended bool) error {
	p.number++
	length := int64(len(line))
	body := bytes.TrimSpace(line)
	if len(body) == 0 {
		p.state.good += length
		return nil
	}
	err := p.apply(body)
	var newer *VersionError
	switch {
	case errors.As(err, &newer):
		newer.Line = p.number
		return newer
	case err != nil && !ended:
		p.notice("the last line was cut off and has been dropped; what it was to record is lost")
		return nil
	case err != nil:
		p.notice(fmt.Sprintf("line %d was skipped: %v", p.number, err))
	}
	p.state.good += length
	p.state.unended = !ended
	return nil
}

func (p *player) notice(text string) { p.state.Notices = append(p.state.Notices, text) }

func (p *player) firstProblem() string {
	if len(p.state.Notices) == 0 {
		return "it is empty"
	}
	return p.state.Notices[0]
}

// apply applies one record. An error leaves the state as it is.
func (p *player) apply(line []byte) error {
	r, err := parse(line)
	if err != nil {
		return err
	}
	if r.Seq <= p.state.seq {
		return fmt.Errorf("its number %d was there before", r.Seq)
	}
	if err := p.record(r); err != nil {
		// The cut of parse may have been wrong, so the slow way decides.
		if r, err = parseAny(line); err == nil {
			err = p.record(r)
		}
		if err != nil {
			return err
		}
	}
	p.state.seq = r.Seq
	return nil
}

// record applies the payload of one record, all of it or nothing.
func (p *player) record(r Record) error {
	switch r.Type {
	case TypeSession:
		return p.session(r)
	case TypeEntry:
		return p.entry(r)
	case TypeDensity:
		return p.density(r)
	case TypeCompression:
		return p.compression(r)
	case TypeClear:
		return p.clear(r)
	case TypeTodo:
		if !json.Valid(r.Payload) {
			return errors.New("its todo list is not JSON")
		}
		p.state.Todos = bytes.Clone(r.Payload)
		return nil
	case TypeSetting:
		return p.setting(r)
	case TypeJob:
		return p.job(r)
	case TypeNotice:
		return json.Unmarshal(r.Payload, &noticePayload{})
	}
	return fmt.Errorf("it is of an unknown type, %q", r.Type)
}

func (p *player) session(r Record) error {
	var payload sessionPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	if p.state.ID == "" {
		p.state.ID, p.state.Workspace, p.state.Started = payload.ID, payload.Workspace, r.Time
	}
	p.state.PID, p.state.Since, p.state.Jobs = payload.PID, r.Time, nil
	return nil
}

func (p *player) entry(r Record) error {
	entry := new(history.Content)
	if err := entry.UnmarshalJSON(r.Payload); err != nil {
		return err
	}
	var counts map[string][]int
	if len(r.Tokens) > 0 && json.Unmarshal(r.Tokens, &counts) == nil {
		for vocabulary, blocks := range counts {
			entry.SetTokens(history.TokenCounts{Vocabulary: vocabulary, Blocks: blocks})
		}
	}
	p.state.timeline.add(ref{seq: r.Seq}, entry)
	p.step(history.Step{Kind: history.MutationAdded, Entry: entry})
	latest := len(p.state.Recorded) - 1
	p.state.Recorded[latest] = append(p.state.Recorded[latest], entry)
	p.state.hasEntries = true
	if entry.Speaker == history.Human {
		p.turn++
	}
	return nil
}

func (p *player) density(r Record) error {
	var payload densityPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	for _, entry := range payload.Replacements {
		if entry == nil {
			return errors.New("a replacement is null")
		}
	}
	p.step(history.Step{Kind: history.MutationDensity, Edits: p.state.timeline.edits(payload)})
	p.missing(p.state.timeline.edit(payload.Removals, payload.Replacements))
	for _, prune := range payload.Prunes {
		p.state.Prunes = append(p.state.Prunes, Pruned{prune.Kind, prune.Subject, prune.Reason, prune.Tokens, prune.places(), payload.Cut, r.Time, p.turn})
	}
	return nil
}

func (p *player) compression(r Record) error {
	var payload compressionPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	p.missing(p.state.timeline.rebuild(r.Seq, payload.History))
	p.step(history.Step{Kind: history.MutationReplaced, Entries: p.state.timeline.entries()})
	return nil
}

func (p *player) clear(r Record) error {
	if err := json.Unmarshal(r.Payload, &struct{}{}); err != nil {
		return err
	}
	p.state.timeline.clear()
	p.step(history.Step{Kind: history.MutationCleared})
	p.state.Recorded = append(p.state.Recorded, nil)
	return nil
}

func (p *player) step(step history.Step) { p.state.Steps = append(p.state.Steps, step) }

// missing adds a notice about entries that a later record names and no readable one
// brought.
func (p *player) missing(unknown int) {
	if unknown > 0 {
		p.notice(fmt.Sprintf("line %d names entries that could not be read: %d", p.number, unknown))
	}
}

func (p *player) setting(r Record) error {
	var payload settingPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	if payload.Value == "" {
		delete(p.state.Settings, payload.Key)
	} else {
		p.state.Settings[payload.Key] = payload.Value
	}
	return nil
}

func (p *player) job(r Record) error {
	var payload jobPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return err
	}
	p.state.Jobs = slices.DeleteFunc(p.state.Jobs, func(j Job) bool { return j.ID == payload.ID })
	if !payload.Ended {
		p.state.Jobs = append(p.state.Jobs, payload.Job)
	}
	return nil
}
