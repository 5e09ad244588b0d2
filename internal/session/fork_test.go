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

	"agent/internal/history"
	"agent/internal/testing/cputime"
)

func readLog(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A summary that a fork copies refers to the original entries. The fork keeps them, even if the
// parent was deleted (REQ-HD-012.2).
func TestForkKeepsSummarizedEntries(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := newHistory(l.Observe)
	must(t, h.Add(history.HumanText("summarised")))
	must(t, h.Add(history.HumanText("kept")))
	must(t, h.Rebuild("one-shot", func(entries []*history.Content, _ []int) (history.RebuiltHistory, error) {
		summary := history.HumanText("summary").WithMeta(history.MetaSummary, true)
		return history.RebuiltHistory{Entries: []*history.Content{summary, entries[1]}, Gone: []history.Prune{{Kind: "summarised", Gone: entries[0].Blocks}}}, nil
	}))
	closeLog(t, l)
	forked, state, err := Fork(l.Path(), o)
	must(t, err)
	defer closeLog(t, forked)
	must(t, Delete(l.Path()))
	found, err := forked.Recall(state.Prunes[0].Recorded)
	if err != nil || len(found.Blocks) != 1 || found.Blocks[0].(*history.Text).Text != "summarised" {
		t.Errorf("recalled %+v, %v", found.Blocks, err)
	}
	if steps := stepsOf(t, state); len(steps) != 3 {
		t.Errorf("the fork knows %d steps that led to it", len(steps))
	}
}

// D-81: a fork contains the whole history, continues independently and never writes to its parent.
// The parent may be in use, or may end with a torn line.
func TestFork(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	h := newHistory(l.Observe)
	for _, text := range []string{"a", "b", "c"} {
		must(t, h.Add(history.HumanText(text)))
	}
	must(t, h.ApplyDensityResult(history.DensityResult{Removals: []int{0}}))
	if err := os.WriteFile(l.Path(), append(readLog(t, l.Path()), `{"v":1,"se`...), 0o600); err != nil {
		t.Fatal(err)
	}
	before := readLog(t, l.Path())
	o.Branch = "topic"
	forked, state, err := Fork(l.Path(), o)
	if err != nil || textsOf(state.Entries) != "b c" || state.ID == l.ID() || state.Parent != l.ID() || forked.ID() != state.ID {
		t.Fatalf("%q of %s from %s, %v", textsOf(state.Entries), state.ID, state.Parent, err)
	}
	fh := newHistory(forked.Observe)
	must(t, fh.Restore(state.Entries))
	must(t, fh.Add(history.HumanText("d")))
	rewindTo(t, forked, fh, pointsOf(t, forked)[1].Seq)
	closeLog(t, forked)
	again := replayFile(t, forked.Path())
	if textsOf(again.Entries) != "a" || again.ID != forked.ID() || again.Parent != l.ID() || again.Counts != (Counts{4, 4}) || len(again.Notices) > 0 {
		t.Errorf("the fork holds %q as %s from %s, %+v, %q", textsOf(again.Entries), again.ID, again.Parent, again.Counts, again.Notices)
	}
	if !bytes.Equal(readLog(t, l.Path()), before) {
		t.Error("the parent was written to")
	}
	infos, err := List(o.Dir, o.Workspace)
	if err != nil || len(infos) != 2 || infos[0].ID != forked.ID() || infos[0].Parent != l.ID() || infos[0].Branch != "topic" || infos[0].FirstPrompt != "a" {
		t.Errorf("listed as %+v, %v", infos, err)
	}
	taken, _, err := Resume(forked.Path(), o)
	if err != nil {
		t.Fatalf("the fork cannot be taken up: %v", err)
	}
	closeLog(t, taken)
}

// An open log can continue in a fork. Its owner then writes to the fork, and the parent is
// released.
func TestForkAnOpenLog(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	if _, err := l.Fork(o, noOtherFiles); !errors.Is(err, errNothingToFork) {
		t.Errorf("of nothing: %v", err)
	}
	h := newHistory(l.Observe)
	must(t, h.Add(history.HumanText("a")))
	must(t, h.Add(history.HumanText("b")))
	parent, path := l.ID(), l.Path()
	before := readLog(t, path)
	id, err := l.Fork(o, noOtherFiles)
	if err != nil || id == parent || l.ID() != id || filepath.Base(l.Path()) != id+".jsonl" {
		t.Fatalf("%s at %s, %v", id, l.Path(), err)
	}
	must(t, h.ApplyDensityResult(history.DensityResult{Removals: []int{0}}))
	must(t, h.Add(history.HumanText("c")))
	taken, _, err := Resume(path, o)
	if err != nil {
		t.Fatalf("the parent cannot be taken up: %v", err)
	}
	closeLog(t, l)
	if got := replayFile(t, l.Path()); textsOf(got.Entries) != "b c" || len(got.Notices) > 0 {
		t.Errorf("the fork holds %q, %q", textsOf(got.Entries), got.Notices)
	}
	if !bytes.HasPrefix(readLog(t, path), before) || strings.Contains(string(readLog(t, path)), `"c"`) {
		t.Error("the parent was written to")
	}
	closeLog(t, taken)
}

// Background commands continue in the fork. The parent has none, and the fork records which ones
// ran when its program was killed.
func TestForkWhileACommandRuns(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a")
	must(t, l.RecordJob(Job{1, "make"}, false))
	must(t, l.RecordJob(Job{2, "serve"}, false))
	must(t, l.RecordJob(Job{1, "make"}, true))
	parent := l.Path()
	if _, err := l.Fork(o, noOtherFiles); err != nil {
		t.Fatal(err)
	}
	if jobs := replayFile(t, parent).Jobs; len(jobs) != 0 {
		t.Errorf("the parent has %+v", jobs)
	}
	if jobs := replayFile(t, l.Path()).Jobs; len(jobs) != 1 || jobs[0] != (Job{2, "serve"}) {
		t.Errorf("the fork has %+v", jobs)
	}
	must(t, l.RecordJob(Job{2, "serve"}, true))
	if jobs := replayFile(t, l.Path()).Jobs; len(jobs) != 0 {
		t.Errorf("at the end the fork has %+v", jobs)
	}
	closeLog(t, l)
}

// noOtherFiles is the callback for a session with only a log.
func noOtherFiles(string) error { return nil }

// A failed fork creates nothing and does not change the log. The same applies if the other files of
// the session cannot be copied.
func TestForkFails(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	defer closeLog(t, l)
	add(t, l, "a")
	other := o
	other.Dir = filepath.Join(o.Dir, "file")
	if err := os.WriteFile(other.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := l.Path()
	if _, err := l.Fork(other, noOtherFiles); err == nil {
		t.Error("a fork in no folder")
	}
	full := errors.New("disk full")
	if _, err := l.Fork(o, func(string) error { return full }); !errors.Is(err, full) {
		t.Errorf("a fork that nothing can go with: %v", err)
	}
	if infos, err := List(o.Dir, ""); err != nil || len(infos) != 1 {
		t.Errorf("left behind: %+v, %v", infos, err)
	}
	add(t, l, "b")
	if l.Path() != path || textsOf(replayFile(t, path).Entries) != "a b" {
		t.Errorf("%s holds %q", l.Path(), textsOf(replayFile(t, path).Entries))
	}
	if _, _, err := Fork(filepath.Join(o.Dir, "missing.jsonl"), o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a missing log: %v", err)
	}
}

// The end of a log contains the counts of the session. A log of an older program is counted.
func TestCounts(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a")
	must(t, l.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.New(history.AI, &history.Text{Text: "b"}).WithMeta(history.MetaModel, "gpt")}))
	add(t, l, strings.Repeat("long ", 100_000))
	must(t, l.RecordNotice("n"))
	closeLog(t, l)
	info, err := Inspect(l.Path())
	if err != nil || info.Counts != (Counts{3, 2}) || info.Model != "gpt" {
		t.Errorf("%+v, %v", info, err)
	}
	old := bytes.ReplaceAll(bytes.ReplaceAll(bytes.ReplaceAll(readLog(t, l.Path()), []byte(`"n":[1,1],`), nil), []byte(`"n":[2,1],`), nil), []byte(`"n":[3,2],`), nil)
	path := filepath.Join(t.TempDir(), "old.jsonl")
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := Inspect(path); err != nil || info.Counts != (Counts{3, 2}) {
		t.Errorf("an old log: %+v, %v", info, err)
	}
	if state := replayFile(t, path); state.Counts != (Counts{3, 2}) {
		t.Errorf("replayed: %+v", state.Counts)
	}
}

// Listing 201 sessions reads at most 60 MB, although one log alone has 100 MB. The test measures
// processor time, which depends little on other programs. It is not parallel because another test
// must not run meanwhile.
func TestListIsQuick(t *testing.T) {
	dir, workspace := manySessions(t, 200, 100<<20)
	before, read := cputime.Used(t), bytesRead(t)
	infos, err := List(dir, workspace)
	if took := cputime.Used(t) - before; err != nil || len(infos) != 201 || took > 2*time.Second {
		t.Errorf("%d sessions in %s, %v", len(infos), took, err)
	}
	if read = bytesRead(t) - read; read > 60<<20 {
		t.Errorf("%d MB were read", read>>20)
	}
}

// bytesRead returns the number of bytes that this process has read, or 0 if the system does not
// count them.
func bytesRead(t *testing.T) int64 {
	t.Helper()
	counts, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	var n int64
	if _, err := fmt.Sscanf(string(counts), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// BenchmarkList lists 1,000 sessions, one of them with a log of 100 MB. The limit is 0.1 s.
func BenchmarkList(b *testing.B) {
	dir, workspace := manySessions(b, 1000, 100<<20)
	for b.Loop() {
		if infos, err := List(dir, workspace); err != nil || len(infos) != 201 {
			b.Fatal(len(infos), err)
		}
	}
}

// manySessions creates n sessions of 40 records, and one with a large log that is mostly a hole.
func manySessions(t testing.TB, n int, large int64) (dir, workspace string) {
	t.Helper()
	o := options(t)
	folder := filepath.Join(o.Dir, folderName(o.Workspace))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	log := func(id string) string {
		var records []string
		for i := range 40 {
			records = append(records, fmt.Sprintf(`"type":"entry","n":[%d,%d],"payload":{"speaker":"human","blocks":[{"type":"text","text":%q}]}`, i+1, i+1, strings.Repeat("word ", 50)))
		}
		return lines(append([]string{`"type":"session","payload":{"id":"` + id + `","workspace":"` + o.Workspace + `","pid":7}`}, records...)...)
	}
	for i := range n {
		id := fmt.Sprintf("20261121-%06d-aaaaa", i)
		if err := os.WriteFile(filepath.Join(folder, id+extension), []byte(log(id)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := log("large")
	f, err := os.Create(filepath.Join(folder, "large"+extension))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\n"+text), large); err != nil {
		t.Fatal(err)
	}
	return o.Dir, o.Workspace
}
