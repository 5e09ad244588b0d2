package session

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

var start = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// options returns the options of a session in a new folder. Each reading of its clock advances it
// by a second.
func options(t testing.TB) Options {
	now := start
	return Options{
		Dir: t.TempDir(), Workspace: "/home/a/project", PID: 4711, Random: rand.New(rand.NewSource(1)),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	}
}

func create(t testing.TB, o Options) *Log {
	t.Helper()
	l, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // on some systems an open file blocks the removal of its folder
	return l
}

func closeLog(t testing.TB, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func replayFile(t testing.TB, path string) State {
	t.Helper()
	state, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// newHistory returns a history that counts tokens by length.
func newHistory(observer history.Observer) *history.Service {
	return history.NewService(byLength{}, observer)
}

type byLength struct{}

func (byLength) Count(text string) int { return len(text) }

// failer is the common interface of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func toJSON(t failer, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantEntries(t testing.TB, got, want []*history.Content) {
	t.Helper()
	if diff := cmp.Diff(toJSON(t, want), toJSON(t, got)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// textsOf returns the texts of entries, for short comparisons.
func textsOf(entries []*history.Content) string {
	var texts []string
	for _, e := range entries {
		texts = append(texts, e.Text())
	}
	return strings.Join(texts, " ")
}

func add(t testing.TB, l *Log, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := l.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.HumanText(text)}); err != nil {
			t.Fatal(err)
		}
	}
}

// lines builds a log from records.
func lines(records ...string) string {
	var b strings.Builder
	for i, r := range records {
		fmt.Fprintf(&b, `{"v":1,"seq":%d,"ts":"2026-11-21T09:30:00Z",%s}`+"\n", i+1, r)
	}
	return b.String()
}

const (
	opening = `"type":"session","payload":{"id":"x","workspace":"/w","pid":7}`
	entryA  = `"type":"entry","payload":{"speaker":"human","blocks":[{"type":"text","text":"a"}]}`
	entryB  = `"type":"entry","payload":{"speaker":"ai","blocks":[{"type":"text","text":"b"}]}`
	entryC  = `"type":"entry","payload":{"speaker":"human","blocks":[{"type":"text","text":"c"}]}`
)
