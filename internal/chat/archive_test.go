package chat

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/chat/rewind"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/tools"
)

// loggedBench is a bench whose conversation is recorded in a log. It has the tool recall.
type loggedBench struct {
	*bench
	log *session.Log
	now time.Time
}

func newLogged(t *testing.T, turns ...answerFunc) *loggedBench {
	t.Helper()
	r := &loggedBench{bench: newBench(t, turns...), now: time.Unix(1_800_000_000, 0)}
	log, err := session.Create(r.sessionOptions(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.log.Close() })
	r.log = log
	r.goOn(session.State{})
	return r
}

func (r *loggedBench) sessionOptions(dir string) session.Options {
	return session.Options{
		Dir: dir, Workspace: "/w", PID: 1, Random: rand.New(rand.NewSource(1)),
		Now: func() time.Time { r.now = r.now.Add(time.Second); return r.now },
	}
}

// goOn makes a new chat from a recorded state.
func (r *loggedBench) goOn(from session.State) {
	r.t.Helper()
	recall, err := tools.NewRegistry(defaultTools()...).Get("recall")
	if err != nil {
		r.t.Fatal(err)
	}
	config := r.config
	config.Tools = tools.NewRegistry(append(testTools().All(), recall)...)
	config.History = history.NewService(wordCount{}, r.log.Observe)
	config.Session = r.log
	config.TranscriptPath = r.log.Path
	config.Now = func() time.Time { return r.now }
	if r.Chat, err = Resume(config, from); err != nil {
		r.t.Fatal(err)
	}
}

// again closes the log and resumes the session from it.
func (r *loggedBench) again() {
	r.t.Helper()
	path := r.log.Path()
	if err := r.log.Close(); err != nil {
		r.t.Fatal(err)
	}
	log, state, err := session.Resume(path, r.sessionOptions(filepath.Dir(filepath.Dir(path))))
	if err != nil {
		r.t.Fatal(err)
	}
	r.log = log
	r.goOn(state)
}

// recalls returns the result of the tool for these arguments, in a separate turn.
func (r *loggedBench) recalls(args string) *history.ToolResponse {
	r.t.Helper()
	n := len(r.model.requests)
	r.model.next = func(i int) answerFunc {
		if i == n {
			return calls("recall", args)
		}
		return say("done")
	}
	if _, err := r.prompt("recall"); err != nil {
		r.t.Fatal(err)
	}
	all := r.responses()
	return all[len(all)-1]
}

// The model can list and recall content that density pruned, both at once and after a resume. The
// answer includes the age of the content and later writes of its file.
func TestRecallOfAStaleRead(t *testing.T) {
	t.Parallel()
	r := newLogged(t,
		calls("read_file", `{"file_path":"a.go"}`), calls("write_file", `{"file_path":"a.go"}`), say("done"))
	if _, err := r.prompt("change a.go"); err != nil {
		t.Fatal(err)
	}
	for _, resumed := range []bool{false, true} {
		if resumed {
			r.again()
		}
		if got := r.recalls(`{}`).Result.Text(); !strings.Contains(got, "\n1. read_file a.go, ") || strings.Contains(got, ", turn 1") || strings.Contains(got, "2. ") {
			t.Errorf("resumed %v: the list is %q", resumed, got)
		}
		got := r.recalls(`{"number":1}`).Result.Text()
		heading, rest, _ := strings.Cut(got, "\n")
		if !strings.HasPrefix(heading, "[1: read_file a.go, as of turn 1") || !strings.Contains(heading, "a.go was changed since") {
			t.Errorf("resumed %v: the heading is %q", resumed, heading)
		}
		if want := answerOf(t, r, "read_file"); want == "" || !strings.Contains(rest, want) {
			t.Errorf("resumed %v: %q lacks what was read, %q", resumed, rest, want)
		}
	}
	for _, wrong := range []string{`{"number":2}`, `{"number":-1}`} {
		if got := r.recalls(wrong); !strings.Contains(got.Error, "can't recall") || !strings.Contains(got.Error, "1 to 1") {
			t.Errorf("%s: %q", wrong, got.Error)
		}
	}
}

// answerOf returns the first result of a tool in the log.
func answerOf(t *testing.T, r *loggedBench, tool string) string {
	t.Helper()
	data, err := os.ReadFile(r.log.Path())
	if err != nil {
		t.Fatal(err)
	}
	state, err := session.Replay(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	said, err := state.Originals()
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range said.Stretches[0] {
		for _, b := range entry.Blocks {
			if response, ok := b.(*history.ToolResponse); ok && response.ToolName == tool {
				return response.Result.Text()
			}
		}
	}
	return ""
}

// Any content that a compression removes can be recalled word for word, with every strategy and at
// the hard limit, live and resumed. The numbers in the ledger stay the same.
func TestRecallOfEverythingThatWasCompressed(t *testing.T) {
	t.Parallel()
	for _, strategy := range few([]string{"high-density", "top-down-truncation", "middle-out", "one-shot", "cache-aware"}) {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			r := newLogged(t)
			r.config.CompressionPrompt = "sum it up"
			r.renew()
			r.model.next = func(n int) answerFunc {
				if r.model.requests[n].System == r.config.CompressionPrompt {
					return say(aSummary)
				}
				return say("ok")
			}
			r.set("compression.strategy", strategy)
			r.set("context-limit", "3000")
			var words []string
			for round := range 3 {
				if _, err := r.prompt(fmt.Sprint("round ", round)); err != nil {
					t.Fatal(err)
				}
				for i := range 12 {
					word := fmt.Sprintf("secretword%d-%d", round, i)
					words = append(words, word)
					r.pair(fmt.Sprint(round, i), "run_shell_command", fmt.Sprint(round, i), word+" "+wordy(150))
				}
			}
			if _, err := r.prompt("and now"); err != nil {
				t.Fatal(err)
			}
			before, err := r.window.Ledger.Lines(), error(nil)
			if len(before) == 0 {
				t.Fatal("nothing left the context")
			}
			there := fmt.Sprint(allText(r.config.History.RawHistory()))
			live := recallAll(t, r)
			for _, word := range words {
				if !strings.Contains(there, word) && !strings.Contains(live, word) {
					t.Errorf("%s is gone for good", word)
				}
			}
			r.again()
			if resumed := recallAll(t, r); resumed != live {
				t.Error("after resuming other things are recalled")
			}
			after := r.window.Ledger.Lines()
			if len(after) != len(before) || err != nil {
				t.Fatalf("%d lines, and %d after resuming", len(before), len(after))
			}
			for i := range before {
				if before[i].Subject != after[i].Subject || before[i].Tool != after[i].Tool || before[i].Turn != after[i].Turn || before[i].Kind != after[i].Kind {
					t.Errorf("line %d: %+v, after resuming %+v", i+1, before[i], after[i])
				}
			}
		})
	}
}

func recallAll(t *testing.T, r *loggedBench) string {
	t.Helper()
	var b strings.Builder
	for i, p := range r.window.Ledger.Lines() {
		_, text, err := r.Past.past.PrunedContent(i+1, p)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(text)
	}
	return b.String()
}

func allText(entries []*history.Content) []string {
	var texts []string
	for _, entry := range entries {
		texts = append(texts, rewind.Text(entry.Blocks))
	}
	return texts
}

// A recalled result can be pruned like any other. The ledger does not list it again, because its
// first line still names the content.
func TestRecalledResultsArePrunedAgain(t *testing.T) {
	t.Parallel()
	r := newLogged(t,
		calls("read_file", `{"file_path":"a.go"}`), calls("write_file", `{"file_path":"a.go"}`), say("done"))
	if _, err := r.prompt("change a.go"); err != nil {
		t.Fatal(err)
	}
	r.set("compression.density.recencyPruning", "true")
	r.set("compression.density.recencyRetention", "1")
	for range 3 {
		r.recalls(`{"number":1}`)
	}
	recalled := slices.DeleteFunc(r.window.Ledger.Lines(), func(p PruneRecord) bool { return p.Tool != "recall" })
	if len(recalled) == 0 {
		t.Fatalf("no recalled result was pruned: %+v", r.window.Ledger.Lines())
	}
	if got := r.recalls(`{}`).Result.Text(); strings.Contains(got, "recall 1") || !strings.Contains(got, "1. read_file") {
		t.Errorf("the list is %q", got)
	}
}

// A long answer has pages, and the model can narrow the request.
func TestRecallIsBounded(t *testing.T) {
	t.Parallel()
	r := newLogged(t)
	r.model.next = func(int) answerFunc { return say("ok") }
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("one more line\n", 20_000)
	r.pair("1", "read_file", "long.txt", long)
	r.pair("2", "write_file", "long.txt", "ok")
	got := r.recalls(`{"number":1}`).Result.Text()
	if limit := 4 * r.window.Measure.OutputLimit(); len(got) > limit || len(got) < limit/2 || !strings.Contains(got, "continue with offset ") {
		t.Errorf("%d bytes: %.300q", len(got), got)
	}
	if got := r.recalls(`{"number":1,"offset":"20002"}`).Result.Text(); !strings.Contains(got, "[lines 20002-20003 of 20003]") {
		t.Errorf("%.300q", got)
	}
	if got := r.recalls(`{"match":"LONG"}`).Result.Text(); !strings.Contains(got, "long.txt") {
		t.Errorf("%q", got)
	}
	r.pair("3", "read_file", "b.txt", "one\ntwo Kiwis\nthree\n"+long)
	r.pair("4", "write_file", "b.txt", "ok")
	if got := r.recalls(`{"match":"two kiwi"}`).Result.Text(); !strings.Contains(got, "b.txt, ") || !strings.Contains(got, "; line 5 of the item: two Kiwis\n") || strings.Contains(got, "long.txt") {
		t.Errorf("%q", got)
	}
	if got := r.recalls(`{"match":"other"}`).Result.Text(); !strings.Contains(got, `No pruned item contains "other"`) {
		t.Errorf("%q", got)
	}
}

// Without a record nothing can be recalled, and the tool is not offered (REQ-HD-012.3). For a
// session with a record see testdata/script/recall.txtar of cmd/agent.
func TestWithoutARecordNothingIsRecalled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if b.runner.archive != nil {
		t.Error("there is an archive")
	}
	if offered := tools.NewRegistry(tools.WithoutRecord(defaultTools())...).Names(); slices.Contains(offered, "recall") || len(offered) != len(tools.Default())-1 {
		t.Errorf("offered: %v", offered)
	}
}
