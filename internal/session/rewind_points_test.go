package session

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/history"
)

// pastOf reads the record of a log.
func pastOf(t failer, l *Log) *LogSnapshot {
	t.Helper()
	p, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pointsOf(t failer, l *Log) []history.Point {
	t.Helper()
	points, err := pastOf(t, l).Points()
	if err != nil {
		t.Fatal(err)
	}
	return points
}

func before(t failer, l *Log, seq uint64) State {
	t.Helper()
	state, err := pastOf(t, l).Before(seq)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func stepsOf(t failer, s State) (steps []history.Step) {
	t.Helper()
	for step, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps
}

// rewindTo rewinds a history to the state before a record.
func rewindTo(t failer, l *Log, h *history.Service, seq uint64) {
	t.Helper()
	if err := h.Rewind(before(t, l, seq).Entries, seq); err != nil {
		t.Fatal(err)
	}
}

// replayUntil returns the entries of a new replay of the log before record seq.
func replayUntil(t failer, l *Log, seq uint64) []*history.Content {
	t.Helper()
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	var before []byte
	for line := range bytes.Lines(data) {
		if r, err := parse(bytes.TrimSpace(line)); err == nil && r.Seq < seq {
			before = append(before, line...)
		}
	}
	state, err := Replay(bytes.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	return state.Entries
}

// TestRewind checks D-24 and D-80 with random changes, and with sessions that are closed and
// resumed. The log replays to the live history, and the oracle agrees. A rewind to any message
// returns exactly the result of a replay up to it, live and resumed. A rewind can be undone.
func TestRewind(t *testing.T) {
	t.Parallel()
	o := options(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := create(t, o)
		weaken(l)
		h := newHistory(l.Observe)
		next := 0
		fresh := func() *history.Content {
			next++
			return history.New(rapid.SampledFrom([]history.Speaker{history.Human, history.AI, history.Tool}).Draw(rt, "speaker"), &history.Text{Text: fmt.Sprint(next)})
		}
		must(rt, h.Add(history.HumanText("first")))
		step := map[string]func(*rapid.T){
			"add":     func(*rapid.T) { must(rt, h.Add(fresh())) },
			"density": func(*rapid.T) { must(rt, h.ApplyDensityResult(anyDensity(rt, h.Len(), fresh))) },
			"replace": func(*rapid.T) { rebuild(rt, h, fresh) },
			"pin": func(*rapid.T) {
				must(rt, h.Pin(fmt.Sprint("/w/", rapid.IntRange(0, 2).Draw(rt, "file")), rapid.Bool().Draw(rt, "pinned")))
			},
			"todo": func(*rapid.T) { next++; must(rt, l.RecordTodos(fmt.Appendf(nil, "[%d]", next))) },
			"clear": func(*rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "rarely") == 0 {
					must(rt, h.Clear())
				}
			},
			"resume": func(*rapid.T) {
				must(rt, l.Close())
				again, state, err := Resume(l.Path(), o)
				must(rt, err)
				sameEntries(rt, state.Entries, h.RawHistory())
				l, h = again, newHistory(again.Observe)
				weaken(l)
				must(rt, h.Restore(state.Entries))
			},
			"rewind": func(*rapid.T) {
				points := pointsOf(rt, l)
				p := rapid.SampledFrom(points).Draw(rt, "point")
				left := slices.Clone(h.RawHistory())
				rewindTo(rt, l, h, p.Seq)
				back := l.seq
				sameEntries(rt, h.RawHistory(), replayUntil(rt, l, p.Seq))
				sameAsOracle(rt, l.Path(), before(rt, l, p.Seq), p.Seq)
				sameEntries(rt, entriesOnDisk(t, l), h.RawHistory())
				if rapid.Bool().Draw(rt, "stay") {
					return
				}
				rewindTo(rt, l, h, back)
				sameEntries(rt, h.RawHistory(), left)
			},
			"": func(*rapid.T) { sameEntries(rt, entriesOnDisk(t, l), h.RawHistory()) },
		}
		rt.Repeat(step)
		sameAsOracle(rt, l.Path(), replayFile(t, l.Path()), math.MaxUint64)
		must(rt, l.Close())
	})
}

// A rewind restores content that density pruned or a summary replaced, and the todo list of that
// time.
func TestRewindBeforeACompression(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	h := newHistory(l.Observe)
	must(t, h.Add(history.HumanText("one")))
	must(t, l.RecordTodos([]byte(`["a"]`)))
	must(t, h.Add(history.HumanText("two")))
	must(t, h.ApplyDensityResult(history.DensityResult{Removals: []int{0}, Prunes: []history.Prune{{Kind: "stale-read"}}}))
	must(t, l.RecordTodos([]byte(`["b"]`)))
	must(t, h.Rebuild("middle-out", func([]*history.Content, []int) (history.RebuiltHistory, error) {
		return history.RebuiltHistory{Entries: []*history.Content{history.HumanText("summary").WithMeta(history.MetaSummary, true)}}, nil
	}))
	points := pointsOf(t, l)
	if len(points) != 2 || points[1].Turn != 2 {
		t.Fatalf("points %+v", points)
	}
	rewindTo(t, l, h, points[1].Seq)
	closeLog(t, l)
	state := replayFile(t, l.Path())
	if steps := stepsOf(t, state); textsOf(state.Entries) != "one" || string(state.Todos) != `["a"]` || len(state.Prunes) != 0 || state.Turn != 1 || len(steps) != 1 {
		t.Errorf("%q, todos %s, prunes %v, turn %d, steps %d", textsOf(state.Entries), state.Todos, state.Prunes, state.Turn, len(steps))
	}
}

func describePoints(points []history.Point) string {
	var all []string
	for _, p := range points {
		name := "end"
		switch {
		case p.Cleared:
			name = "clear"
		case !p.IsEnd():
			name = p.Message.Text()
		}
		all = append(all, fmt.Sprintf("%s:%d", name, p.Turn))
	}
	return strings.Join(all, " ")
}

// For a branch that a rewind left, its messages and its end are listed. The end is omitted if it is
// a part of the conversation again.
func TestPoints(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	h := newHistory(l.Observe)
	point := func(n int) uint64 { return pointsOf(t, l)[n].Seq }
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { must(t, h.Add(history.HumanText("a"))); must(t, h.Add(history.HumanText("b"))) }, "a:1 b:2"},
		{func() { must(t, h.Add(history.New(history.Human, history.NewData(history.SourceCommand, "t", "out")))) }, "a:1 b:2"},
		{func() { rewindTo(t, l, h, point(1)) }, "a:1 b:0 end:0"},
		{func() { must(t, h.Add(history.HumanText("c"))) }, "a:1 b:0 end:0 c:2"},
		{func() { rewindTo(t, l, h, point(2)) }, "a:1 b:2 c:0 end:0"},
		{func() { must(t, h.Clear()) }, "a:1 b:2 c:0 end:0 clear:0"},
		{func() { must(t, h.Add(history.HumanText("d"))) }, "a:1 b:2 c:0 end:0 clear:0 d:3"},
		{func() { rewindTo(t, l, h, point(4)) }, "a:1 b:2 c:0 end:0 d:0 end:0"},
	} {
		step.do()
		if got := describePoints(pointsOf(t, l)); got != step.want {
			t.Errorf("points %q, want %q", got, step.want)
		}
	}
	closeLog(t, l)
}

// After several rewinds in a row, two ends are listed: the end of the part that the last rewind left,
// and the end of the original history. The record of a rewind itself creates no end. Going forward
// undoes the rewinds one by one (reliability F12).
func TestPointsOfRewindsInARow(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	h := newHistory(l.Observe)
	for _, text := range []string{"a", "b", "c"} {
		must(t, l.RecordTodos([]byte(`["`+text+`"]`)))
		must(t, h.Add(history.HumanText(text)))
	}
	must(t, h.Add(history.New(history.AI, &history.Text{Text: "reply"})))
	for _, back := range []struct {
		to   int
		want string
	}{{2, "a:1 b:2 c:0 end:0"}, {1, "a:1 b:0 c:0 end:0 end:0"}, {0, "a:0 b:0 c:0 end:0 end:0"}} {
		rewindTo(t, l, h, pointsOf(t, l)[back.to].Seq)
		must(t, l.RecordTodos([]byte(`["then"]`)))
		if got := describePoints(pointsOf(t, l)); got != back.want {
			t.Errorf("before %d: points %q, want %q", back.to, got, back.want)
		}
	}
	for _, forward := range []struct{ last, said string }{{"a", "a"}, {"b", "a b"}, {"c", "a b c reply"}} {
		points := pointsOf(t, l)
		end := points[len(points)-1]
		if !end.IsEnd() || end.Last.Text() != forward.last {
			t.Fatalf("the end is called by %v, want %q", end.Last, forward.last)
		}
		rewindTo(t, l, h, end.Seq)
		if got := textsOf(h.RawHistory()); got != forward.said {
			t.Errorf("forward is %q, want %q", got, forward.said)
		}
	}
	if got := describePoints(pointsOf(t, l)); got != "a:1 b:2 c:3" {
		t.Errorf("forward: points %q", got)
	}
	closeLog(t, l)
}

// An unknown state is refused, and so is a rewind record that does not go back to an earlier
// record.
func TestRewindRefused(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	h := newHistory(l.Observe)
	must(t, h.Add(history.HumanText("a")))
	if err := h.Rewind(nil, 2); !errors.Is(err, errNoPast) {
		t.Errorf("error %v", err)
	}
	closeLog(t, l)
	for _, to := range []string{"0", "3", "9"} {
		state, err := Replay(strings.NewReader(lines(opening, entryA, `"type":"rewind","payload":{"to":`+to+`}`)))
		if err != nil || textsOf(state.Entries) != "a" || len(state.Notices) != 1 {
			t.Errorf("to %s: %q %q %v", to, textsOf(state.Entries), state.Notices, err)
		}
	}
}

// Records that wait for disk space are part of the past.
func TestPastOnAFullDisk(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	h := newHistory(l.Observe)
	must(t, h.Add(history.HumanText("a")))
	weaken(l).room = 0
	must(t, h.Add(history.HumanText("b")))
	if got := describePoints(pointsOf(t, l)); got != "a:1 b:2" {
		t.Errorf("points %q", got)
	}
}
