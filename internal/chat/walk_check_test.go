package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/rawjson"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/snapshot"
)

// state returns the complete state of a conversation as text.
func (r *recorded) state() string {
	entries, err := rawjson.Marshal(r.config.History.RawHistory())
	if err != nil {
		r.t.Fatal(err)
	}
	var plain any // after a resume, metadata of an entry has sorted keys
	if err := json.Unmarshal(entries, &plain); err != nil {
		r.t.Fatal(err)
	}
	if entries, err = rawjson.Marshal(plain); err != nil {
		r.t.Fatal(err)
	}
	var ledger []string
	for _, p := range r.window.Ledger.Lines() {
		ledger = append(ledger, fmt.Sprint(p.Kind, p.Subject, p.Tokens, p.Turn, p.Recorded))
	}
	for _, h := range r.window.Contents.PrunableParts("") {
		ledger = append(ledger, fmt.Sprint("holds ", h.Kind, h.Subject, h.Tokens, h.Pinned))
	}
	u := r.window.Usage()
	return fmt.Sprintf("%s\n%q\nfreed %d, tokens %d of %d, %d, %d, %d\n%q\npinned %q, saving %s, reply %q", entries, ledger, u.Freed, u.Total(), u.Human, u.AI, u.Calls, u.Results,
		r.config.Env.Todos.List().Lines(), r.window.Pins.List(), r.saved(), r.lastReply)
}

// check checks the invariants after every step.
func (w *walk) check(step string) {
	w.rt.Helper()
	w.valid()
	data, err := os.ReadFile(w.log.Path())
	w.must(err)
	for path, was := range w.logs {
		if is, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(is, was) {
			w.rt.Errorf("after %s the log %s has changed what it had: %v", step, path, err)
		}
	}
	w.logs[w.log.Path()] = data
	state, err := session.Replay(bytes.NewReader(data))
	w.must(err)
	again := &recorded{bench: &bench{t: w.rt, Chat: w.resume(state, nil, nil)}}
	if len(state.Scales) == 0 { // no reply was recorded yet
		again.calibrate()
	}
	if live, resumed := w.state(), again.state(); live != resumed {
		w.rt.Fatalf("after %s it is %s", step, differs(live, resumed))
	}
	w.checkRecall(step)
	w.checkFiles(step)
}

// checkRecall checks that the record can restore all pruned content.
func (w *walk) checkRecall(step string) {
	w.rt.Helper()
	for i, p := range w.window.Ledger.Lines() {
		found, err := w.log.Recall(p.Recorded)
		if err != nil || len(found.Blocks) == 0 {
			w.rt.Errorf("after %s: number %d: %+v, %v", step, i+1, found, err)
		}
		for _, block := range found.Blocks {
			want, got := "", w.json(block)
			switch block := block.(type) {
			case *history.Text:
				if !w.texts[block.Text] && !strings.HasPrefix(block.Text, "[") {
					w.rt.Errorf("after %s number %d recalls %q, which nobody said", step, i+1, block.Text)
				}
				continue
			case *history.ToolCall:
				want = w.original["call "+block.ID]
			case *history.ToolResponse:
				want = w.original["answer "+block.CallID]
			}
			if got != want {
				w.rt.Errorf("after %s number %d recalls\n%s\nit was\n%s", step, i+1, got, want)
			}
		}
	}
}

// checkFiles checks that another program finds the same steps for undo and redo, and that the marks
// of undone writes are right.
func (w *walk) checkFiles(step string) {
	w.rt.Helper()
	again := w.openStore()
	for _, way := range []func(*snapshot.Store) (*snapshot.Plan, error){
		func(s *snapshot.Store) (*snapshot.Plan, error) { return s.PlanUndo(context.Background()) },
		func(s *snapshot.Store) (*snapshot.Plan, error) { return s.PlanRedo(context.Background()) },
	} {
		live, anew := describePlan(way(w.store)), describePlan(way(again))
		if live != anew || strings.Contains(live, "refused") {
			w.rt.Errorf("after %s the way is\n%s\nof another program\n%s", step, live, anew)
		}
	}
	w.must(again.Close())
	for _, entry := range w.config.History.RawHistory() {
		if change, ok := entry.Metadata[history.MetaChange].(string); ok {
			if undone := entry.Metadata[history.MetaUndone] == true; undone != w.store.IsUndone(snapshot.Mark(change)) {
				w.rt.Errorf("after %s the change %s is marked as undone: %v", step, change, undone)
			}
		}
	}
}

func describePlan(plan *snapshot.Plan, err error) string {
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%s %s\n", plan.Kind, plan.Title)
	for _, step := range plan.Steps {
		text += step.Line() + "\n" + step.Diff
	}
	for _, problem := range plan.Refused {
		text += "refused " + problem.String() + "\n"
	}
	return text
}

// workspace returns the files with their content.
func (w *walk) workspace() string {
	var all strings.Builder
	w.must(filepath.WalkDir(w.root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %q\n", strings.TrimPrefix(path, w.root), data)
		return err
	}))
	return all.String()
}

// differs returns parts of two texts around the first difference.
func differs(is, want string) string {
	n := 0
	for n < min(len(is), len(want)) && is[n] == want[n] {
		n++
	}
	from := max(0, n-200)
	return fmt.Sprintf("\n…%.600s\nand not\n…%.600s", is[from:], want[from:])
}
