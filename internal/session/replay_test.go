package session

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	const (
		density = `"type":"density","payload":{"removals":["3"],"replacements":{"2":{"speaker":"human","blocks":[{"type":"text","text":"A"}]}},"metadata":{},"prunes":[{"kind":"stale-read","subject":"f","reason":"written","entry":"3"}]}`
		summary = `"type":"compression","payload":{"cause":"c","history":[{"entry":{"speaker":"human","blocks":[{"type":"text","text":"S"}]}},{"ref":"4"}]}`
	)
	for _, test := range []struct {
		name    string
		records []string
		want    string
	}{
		{"entries", []string{opening, entryA, entryB}, "a b"},
		{"density", []string{opening, entryA, entryB, entryC, density}, "A c"},
		{"compression", []string{opening, entryA, entryB, entryC, summary, entryA}, "S c a"},
		{"density of what a compression kept and brought", []string{
			opening, entryA, entryB, entryC, summary, entryB,
			`"type":"density","payload":{"removals":["4","5.1"]}`,
		}, "b"},
		{"an entry edited twice keeps its name", []string{
			opening, entryA, entryB, entryC, density, `"type":"density","payload":{"removals":["2"]}`,
		}, "c"},
		{"clear", []string{opening, entryA, `"type":"clear","payload":{}`, entryB}, "b"},
		{"nothing said", []string{opening}, ""},
		{"fields in another order", []string{opening, `"payload":{"speaker":"human","blocks":[{"type":"text","text":"a"}]},"type":"entry"`}, "a"},
		{"a field after the payload", []string{opening, entryA + `,"more":{"payload":1}`}, "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			state, err := Replay(strings.NewReader(lines(test.records...)))
			if err != nil {
				t.Fatal(err)
			}
			if got := textsOf(state.Entries); got != test.want || len(state.Notices) > 0 {
				t.Errorf("got %q, notices %q; want %q", got, state.Notices, test.want)
			}
		})
	}
}

// All recorded content can be recalled, whatever was removed from the context.
func TestReplayKeepsRecordedContent(t *testing.T) {
	t.Parallel()
	state, err := Replay(strings.NewReader(lines(opening, entryA, entryB,
		`"type":"density","payload":{"removals":["3"],"replacements":{"2":{"speaker":"human","blocks":[{"type":"text","text":"A"}]}}}`,
		`"type":"clear","payload":{}`, entryC,
		`"type":"compression","payload":{"cause":"c","history":[]}`,
	)))
	if err != nil {
		t.Fatal(err)
	}
	all, err := state.Originals()
	if err != nil || len(state.Entries) > 0 || len(all.Stretches) != 2 || textsOf(all.Stretches[0]) != "a b" || textsOf(all.Stretches[1]) != "c" {
		t.Errorf("context %q, said %v, %v", textsOf(state.Entries), all.Stretches, err)
	}
}

func TestReplayGivesEverythingElseToo(t *testing.T) {
	t.Parallel()
	state, err := Replay(strings.NewReader(lines(opening, entryA,
		`"type":"todo","payload":[{"id":"1"}]`, `"type":"todo","payload":[{"id":"2"}]`,
		`"type":"setting","payload":{"key":"model","value":"m"}`,
		`"type":"setting","payload":{"key":"theme","value":"dark"}`,
		`"type":"setting","payload":{"key":"theme","value":""}`,
		`"type":"notice","payload":{"text":"n"}`,
		entryB, entryC,
		`"type":"density","payload":{"removals":["9"],"prunes":[{"kind":"stale-read","subject":"f","reason":"written","entry":"9","tokens":7}]}`,
		`"type":"session","payload":{"id":"x","workspace":"/w","pid":8,"resumed":true}`,
	)))
	if err != nil {
		t.Fatal(err)
	}
	if state.ID != "x" || state.Workspace != "/w" || state.PID != 8 || state.Started.IsZero() {
		t.Errorf("session %+v", state)
	}
	if got := string(state.Todos); got != `[{"id":"2"}]` {
		t.Errorf("todos %s", got)
	}
	if diff := cmp.Diff(map[string]string{"model": "m"}, state.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	want := []history.Prune{{Kind: "stale-read", Subject: "f", Reason: "written", Tokens: 7, Recorded: []history.RecordRef{{Entry: "9"}}, At: state.Started, Turn: 2}}
	if diff := cmp.Diff(want, state.Prunes); diff != "" {
		t.Errorf("prunes (-want +got):\n%s", diff)
	}
}

// TestDamage checks that each kind of damage only affects its own record.
func TestDamage(t *testing.T) {
	t.Parallel()
	sound := strings.SplitAfter(lines(opening, entryA, entryB, entryC, `"type":"density","payload":{"removals":["2"]}`), "\n")
	for _, test := range []struct {
		name   string
		log    string
		want   string
		notice string
	}{
		{"torn last line", strings.Join(sound[:3], "") + sound[3][:40], "a b", "last line was incomplete"},
		{"only its line break is missing", strings.TrimSuffix(strings.Join(sound[:4], ""), "\n"), "a b c", ""},
		{"zeros at the end", strings.Join(sound[:4], "") + "\x00\x00\x00", "a b c", "last line was incomplete"},
		{"broken middle", sound[0] + sound[1] + "{\"v\":1,#\n" + sound[3], "a c", "skipped line 3: not a JSON record"},
		{"two lines run into one", sound[0] + sound[1] + sound[2][:30] + sound[3], "a", "line 3"},
		{"a broken entry shifts nothing", sound[0] + sound[1] + "x\n" + sound[3] + sound[4], "c", "line 3"},
		{"a broken entry that is removed later", sound[0] + "x\n" + sound[2] + sound[3] + sound[4], "b c", "refers to 1 unreadable entry"},
		{"a broken opening", "x\n" + sound[1], "a", "line 1"},
		{"a wrong entry", sound[0] + strings.Replace(sound[1], "human", "nobody", 1) + sound[2], "b", "nobody"},
		{"written twice", sound[0] + sound[1] + sound[1] + sound[2], "a b", "duplicate number 2"},
		{"a number too high", sound[0] + strings.Replace(sound[1], `"seq":2`, `"seq":62`, 1) + sound[2] + sound[3], "b c", "skipped line 2: its record number 62 is too high"},
		{"the first number too high", strings.Replace(sound[0], `"seq":1`, `"seq":9`, 1) + sound[1] + sound[2], "a b", "skipped line 1"},
		{"the last number too high", sound[0] + sound[1] + strings.Replace(sound[2], `"seq":3`, `"seq":7`, 1), "a b", ""},
		{"lost lines", sound[0] + sound[1] + sound[3], "a c", ""},
		{"a forked session begins later", strings.Replace(sound[0], `"seq":1`, `"seq":7`, 1) + strings.Replace(sound[1], `"seq":2`, `"seq":8`, 1), "a", ""},
		{"an unknown type", sound[0] + strings.Replace(sound[1], "entry", "riddle", 1) + sound[2], "b", "riddle"},
		{"blank lines", "\n" + sound[0] + "\n \n" + sound[1], "a", ""},
		{"line breaks of another system", strings.ReplaceAll(strings.Join(sound[:2], ""), "\n", "\r\n"), "a", ""},
		{"a null replacement", sound[0] + sound[1] + `{"v":1,"seq":9,"ts":"2026-11-21T09:30:00Z","type":"density","payload":{"replacements":{"2":null}}}` + "\n", "a", "null"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			state, err := Replay(strings.NewReader(test.log))
			if err != nil {
				t.Fatal(err)
			}
			if got := textsOf(state.Entries); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			notices := strings.Join(state.Notices, "\n")
			if test.notice == "" && notices != "" || !strings.Contains(notices, test.notice) {
				t.Errorf("notices %q, want %q", notices, test.notice)
			}
		})
	}
}

func TestNewerAndForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	log := lines(opening, entryA)
	later := strings.ReplaceAll(strings.ReplaceAll(log, `"seq":2`, `"seq":4`), `"seq":1`, `"seq":3`)
	_, err := Replay(strings.NewReader(log + strings.ReplaceAll(later, `"v":1`, `"v":3`)))
	if newer := (*VersionError)(nil); !errors.As(err, &newer) || newer.Version != 3 || newer.Line != 3 || !strings.Contains(err.Error(), "Update") {
		t.Errorf("error %v", err)
	}
	for _, text := range []string{"", "\n\n", "hello\nworld\n", `{"history":[]}`} {
		_, err := Replay(strings.NewReader(text))
		if foreign := (*NotALogError)(nil); !errors.As(err, &foreign) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// replayed returns the state of a log, which must be readable.
func replayed(t *testing.T, log string) State {
	t.Helper()
	state, err := Replay(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// One flipped bit in the version of a line does not make the log a newer one. The line is read with
// a notice. If a newer program declared its version in the log, the log counts as newer.
func TestOneDamagedVersion(t *testing.T) {
	t.Parallel()
	log := lines(opening, entryA, entryB)
	want := textsOf(replayed(t, log).Entries)
	parts := strings.SplitAfter(log, "\n")
	for i := range 3 {
		for _, digit := range []string{"3", "5", "9"} {
			damaged := slices.Clone(parts)
			damaged[i] = strings.Replace(damaged[i], `"v":1`, `"v":`+digit, 1)
			state := replayed(t, strings.Join(damaged, ""))
			if got := textsOf(state.Entries); got != want || len(state.Notices) != 1 || !strings.Contains(state.Notices[0], "version "+digit) {
				t.Errorf("line %d, version %s: %q, notices %q", i+1, digit, got, state.Notices)
			}
		}
	}
	announced := strings.Replace(log, `"pid":`, `"format":3,"pid":`, 1)
	if announced == log {
		t.Fatal("the record has no pid")
	}
	announced = strings.Replace(announced, `{"v":1,"seq":3`, `{"v":3,"seq":3`, 1)
	var newer *VersionError
	if _, err := Replay(strings.NewReader(announced)); !errors.As(err, &newer) || newer.Line != 3 {
		t.Errorf("announced: %v", err)
	}
}

// namedCounter counts by length, with the name of a vocabulary.
type namedCounter struct{ byLength }

func (namedCounter) Vocabulary() string { return "length" }

// failingCounter has the same name but cannot count.
type failingCounter struct{}

func (failingCounter) Count(string) int   { return 1 << 20 }
func (failingCounter) Vocabulary() string { return "length" }

// Recorded token counts are reused unless they are implausible or belong to another vocabulary.
// Older programs ignore them.
func TestCountsAreRecorded(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := history.NewService(namedCounter{}, l.Observe)
	must(t, h.Add(history.New(history.AI, &history.Text{Text: "four"}, &history.ToolCall{ID: "1", Name: "ls", Parameters: []byte(`{}`)})))
	must(t, h.Add(history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "ls", Result: history.TextResult("a")})))
	closeLog(t, l)
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	total := func(log string, counter history.Counter) int {
		state, err := Replay(strings.NewReader(log))
		if err != nil || len(state.Notices) > 0 {
			t.Fatal(state.Notices, err)
		}
		s := history.NewService(counter, nil)
		must(t, s.Restore(state.Entries))
		return s.TotalTokens()
	}
	log := string(data)
	if !strings.Contains(log, `"tokens":{"length":[4,`) {
		t.Errorf("the log is %s", log)
	}
	if got := total(log, failingCounter{}); got != h.TotalTokens() {
		t.Errorf("%d tokens, recorded were %d", got, h.TotalTokens())
	}
	for name, other := range map[string]string{
		"another vocabulary": strings.ReplaceAll(log, `{"length":`, `{"other":`),
		"too few":            strings.ReplaceAll(log, `[4,`, `[`),
		"negative":           strings.ReplaceAll(log, `[4,`, `[-4,`),
		"nonsense":           strings.ReplaceAll(log, `{"length":[4,`, `{"length":["x",`),
		"none":               regexp.MustCompile(`"tokens":.*?\},`).ReplaceAllString(log, ""),
	} {
		if got := total(other, namedCounter{}); got != h.TotalTokens() {
			t.Errorf("%s: %d tokens, want %d", name, got, h.TotalTokens())
		}
	}
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte(lines(opening, entryA, entryB, `"type":"density","payload":{"removals":["2"],"replacements":{"3":{"speaker":"human","blocks":[]}},"prunes":[{"entry":"3"}]}`)))
	f.Add([]byte(lines(opening, entryA, `"type":"compression","payload":{"history":[{"ref":"2"},{"ref":"2"},{"ref":"9"},{}]}`, `"type":"density","payload":{"removals":["2","2","3.1"]}`)))
	f.Add([]byte(lines(opening, entryA)[:90]))
	f.Add([]byte(`{"v":3}`))
	f.Fuzz(func(t *testing.T, log []byte) {
		state, err := Replay(strings.NewReader(string(log)))
		if err != nil {
			return
		}
		for i, e := range state.Entries {
			if e == nil {
				t.Fatalf("entry %d is nil", i)
			}
		}
		stepsOf(t, state)
		if _, err := state.Originals(); err != nil {
			t.Fatal(err)
		}
		if state.good > int64(len(log)) {
			t.Fatalf("%d of %d bytes are good", state.good, len(log))
		}
		// The log without its torn last line has the same content.
		again, err := Replay(strings.NewReader(string(log[:state.good])))
		if err != nil || toJSON(t, again.Entries) != toJSON(t, state.Entries) {
			t.Fatalf("after truncation: %v", err)
		}
	})
}

// FuzzParse checks that the fast and the simple parser of a line agree.
func FuzzParse(f *testing.F) {
	for _, line := range strings.Split(lines(opening, entryA, `"payload":1,"type":"clear"`, `"type":"a","payload":{}},"x":{"a":1`, `"type":"entry","tokens":{"v":[1]},"payload":{"speaker":"human","blocks":[{"type":"text","text":"a"}]}`, `"type":"clear","tokens":{},"type":"x","payload":{}`), "\n") {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"v":1,"seq":1,"ts":"2000-01-01T0:00:00Z","type":"entry"A,"payload":{"speaker":"human","blocks":[]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		quick, err := parse(line)
		if err != nil {
			return
		}
		plain, err := parseAny(line)
		if err != nil {
			// Then the payload must be invalid, and decoding it must fail.
			if _, err := decode(quick); err == nil {
				t.Fatalf("%s was applied, but %v", line, err)
			}
			return
		}
		if quick.Seq != plain.Seq || quick.Type != plain.Type || !quick.Time.Equal(plain.Time) {
			t.Fatalf("%+v and %+v", quick, plain)
		}
	})
}
