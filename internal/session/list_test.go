package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

func TestList(t *testing.T) {
	t.Parallel()
	o := options(t)
	if infos, err := List(filepath.Join(o.Dir, "missing"), ""); err != nil || len(infos) != 0 {
		t.Fatalf("a missing folder: %v, %v", infos, err)
	}
	first := create(t, o)
	add(t, first, "\nthe first prompt\nsecond line", strings.Repeat("long ", 100_000), "x")
	closeLog(t, first)
	second := create(t, o)
	if err := second.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.New(history.AI, &history.Text{Text: "hello"})}); err != nil {
		t.Fatal(err)
	}
	add(t, second, strings.Repeat("ä", 300))
	closeLog(t, second)
	elsewhere := o
	elsewhere.Workspace = "/home/b/project"
	third := create(t, elsewhere)
	add(t, third, "third")
	closeLog(t, third)
	silent := create(t, o) // in use, without a message
	defer closeLog(t, silent)
	if err := os.WriteFile(filepath.Join(filepath.Dir(first.Path()), "note.jsonl"), []byte("no log"), 0o600); err != nil {
		t.Fatal(err)
	}

	describe := func(infos []Info, err error) []string {
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, i := range infos {
			stat, err := os.Stat(i.Path)
			if err != nil || stat.Size() != i.Bytes || i.Used.Before(i.Started) || i.ID != idOf(i.Path) {
				t.Errorf("info %+v: %v", i, err)
			}
			lines = append(lines, fmt.Sprintf("%s %s %d %s", i.ID, i.Workspace, i.Entries, i.FirstPrompt))
		}
		return lines
	}
	one := first.ID() + " /home/a/project 3 the first prompt"
	two := second.ID() + " /home/a/project 2 " + strings.Repeat("ä", 199) + "…"
	three := third.ID() + " /home/b/project 1 third"
	if diff := cmp.Diff([]string{two, one}, describe(List(o.Dir, o.Workspace))); diff != "" {
		t.Errorf("sessions of the workspace (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{three, two, one}, describe(List(o.Dir, ""))); diff != "" {
		t.Errorf("all sessions (-want +got):\n%s", diff)
	}
	// Resuming a session makes it the latest.
	again, _, err := Resume(first.Path(), o)
	if err != nil {
		t.Fatal(err)
	}
	closeLog(t, again)
	if diff := cmp.Diff([]string{one, two}, describe(List(o.Dir, o.Workspace))); diff != "" {
		t.Errorf("after resuming the first (-want +got):\n%s", diff)
	}
}

// If the first record is damaged, the session is still listed, found and resumed by its name.
func TestTheFirstRecordIsDamaged(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "the prompt")
	closeLog(t, l)
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	data[12] = 'x'
	if err := os.WriteFile(l.Path(), data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, workspace := range []string{o.Workspace, ""} {
		infos, err := List(o.Dir, workspace)
		if err != nil || len(infos) != 1 || infos[0].ID != l.ID() || infos[0].Workspace != workspace || infos[0].FirstPrompt != "the prompt" || infos[0].Started.IsZero() {
			t.Fatalf("List(%q) = %+v, %v", workspace, infos, err)
		}
	}
	again, state, err := Resume(l.Path(), o)
	if err != nil || state.ID != l.ID() || state.Workspace != o.Workspace || textsOf(state.Entries) != "the prompt" || len(state.Notices) != 1 {
		t.Fatalf("%+v, %v", state, err)
	}
	closeLog(t, again)
	if infos, err := List(o.Dir, ""); err != nil || len(infos) != 1 || infos[0].Workspace != o.Workspace {
		t.Errorf("afterwards %+v, %v", infos, err)
	}
}

// A log of a newer program, and a log without a readable record, are listed. Opening them returns
// an error with the reason.
func TestUnreadableLogsAreListed(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]*strings.Replacer{
		"newer": strings.NewReplacer(`{"v":1,`, `{"v":9,`), "damaged": strings.NewReplacer(`"seq":`, `"seq?":`),
	} {
		o := options(t)
		l := create(t, o)
		add(t, l, "one", "two")
		closeLog(t, l)
		if err := os.WriteFile(l.Path(), []byte(damage.Replace(string(readLog(t, l.Path())))), 0o600); err != nil {
			t.Fatal(err)
		}
		if infos, err := List(o.Dir, o.Workspace); err != nil || len(infos) != 1 || infos[0].Counts != (Counts{2, 2}) {
			t.Errorf("%s: %+v, %v", name, infos, err)
		}
	}
}

// A session is named by its id, the start or end of it, its title, or words of the title.
func TestNamed(t *testing.T) {
	t.Parallel()
	at := func(id, workspace, title string) Info { return Info{ID: id, Workspace: workspace, Title: title} }
	script := at("20261103-090000-script", "/here", "parser tests")
	script.Unattended = true
	infos := []Info{
		at("20261101-090000-abcde", "/here", "Lexer repair"),
		at("20261102-090000-fghij", "/there", "lexer of the other program"),
		script,
		at("20261104-090000-klmno", "/here", "Parser: errors"),
		at("20261104-100000-pqrst", "/there", "docs"),
		at("20261104-110000-uvwxy", "/there", "docs and guide"),
		at("job-docs", "/there", "night run"),
	}
	for name, want := range map[string]string{
		"20261101-090000-abcde":   "20261101-090000-abcde",
		"20261101":                "20261101-090000-abcde",
		"abcde":                   "20261101-090000-abcde",
		"bcde":                    "20261101-090000-abcde",
		"cde":                     "", // too short for the end of an id
		"20261104":                "3 sessions",
		"Lexer repair":            "20261101-090000-abcde",
		"LEXER":                   "20261101-090000-abcde", // of this folder
		"repair lexer":            "20261101-090000-abcde",
		"lexer other":             "20261102-090000-fghij",
		"parser":                  "20261104-090000-klmno", // the conversation, not the run of a script
		"parser tests":            "20261103-090000-script",
		"docs":                    "job-docs", // the end of an id
		"guide":                   "20261104-110000-uvwxy",
		"e r":                     "2 sessions",
		"run":                     "job-docs",
		"":                        "",
		" ":                       "",
		"lexer of nothing at all": "",
	} {
		info, err := FindByName(infos, "/here", name)
		got := info.ID
		if several := (*AmbiguousError)(nil); errors.As(err, &several) {
			got = fmt.Sprint(len(several.Fit), " sessions")
		} else if missing := (*NotFoundError)(nil); err != nil && !errors.As(err, &missing) {
			t.Error(err)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if _, err := FindByID(infos, "lexer"); err == nil {
		t.Error("a word of a title is taken for an id")
	}
	for words, want := range map[string]int{"lexer": 2, "docs": 3, "nothing": 0, "": 0} {
		if got := len(Search(infos, words)); got != want {
			t.Errorf("a search for %q found %d, want %d", words, got, want)
		}
	}
}

// BenchmarkReplay replays 10,000 messages of about 2 KB.
func BenchmarkReplay(b *testing.B) {
	path, size := largeLog(b)
	b.SetBytes(size)
	for b.Loop() {
		if state := replayFile(b, path); len(state.Entries) != 10_000 {
			b.Fatal(len(state.Entries))
		}
	}
}

// BenchmarkInspect inspects the log of an older program, which has to be counted.
func BenchmarkInspect(b *testing.B) {
	path, size := largeLog(b)
	b.SetBytes(size)
	for b.Loop() {
		if info, err := Inspect(path); err != nil || info.Entries != 10_000 {
			b.Fatal(info, err)
		}
	}
}

// BenchmarkParse parses the lines of the same log, by cutting off the payload and by decoding the whole
// line.
func BenchmarkParse(b *testing.B) {
	path, size := largeLog(b)
	log, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func([]byte) (Record, error){"direct": parse, "plain": parseAny} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				for line := range bytes.Lines(log) {
					if _, err := read(bytes.TrimSpace(line)); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func largeLog(b *testing.B) (path string, size int64) {
	var log strings.Builder
	line, err := encode(1, time.Now(), change{kind: TypeSession, payload: sessionPayload{ID: "x", Workspace: "/w"}}, "")
	if err != nil {
		b.Fatal(err)
	}
	log.Write(line)
	text := strings.Repeat("if err != nil {\n\treturn fmt.Errorf(\"x: %w\", err)\n}\n", 36)
	for i := range 10_000 {
		var entry *history.Content
		switch i % 3 {
		case 0:
			entry = history.HumanText(text)
		case 1:
			entry = history.New(history.AI, &history.Text{Text: text}, &history.ToolCall{ID: "c", Name: "read_file", Parameters: []byte(`{"file_path":"a.go"}`)})
		default:
			entry = history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "read_file", Result: history.TextResult(text)})
		}
		if line, err = encode(uint64(i+2), time.Now(), change{kind: TypeEntry, payload: entry}, ""); err != nil {
			b.Fatal(err)
		}
		log.Write(line)
	}
	path = filepath.Join(b.TempDir(), "large.jsonl")
	if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return path, int64(log.Len())
}

// If a clock was a year ahead, sessions that were used after its correction are still the latest.
func TestLatestWhenTheClockWasWrong(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	used := func(ids ...string) (infos []Info) {
		at := map[string]time.Time{"ahead": now.AddDate(1, 0, 0), "further": now.AddDate(2, 0, 0), "soon": now.Add(time.Minute), "now": now, "before": now.AddDate(-1, 0, 0)}
		for _, id := range ids {
			infos = append(infos, Info{ID: id, Used: at[id]})
		}
		return infos
	}
	for _, test := range []struct {
		infos []Info
		want  string
	}{
		{used("now", "before"), "now"},
		{used("ahead", "now", "before"), "now"},
		{used("ahead", "soon", "now"), "soon"},
		{used("further", "ahead"), "further"},
	} {
		if got := Latest(test.infos, now); got.ID != test.want {
			t.Errorf("of %v it is %s", test.infos, got.ID)
		}
	}
}
