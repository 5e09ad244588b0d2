package cacheaware

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// plan returns the changes that a plan makes to a conversation without a cache, each as "unit why",
// and the engine.
func plan(m RequestFacts, t *talk) ([]string, *Engine) {
	e := newEngine()
	for _, entry := range t.entries {
		e.Add(entry)
	}
	m.Price, m.Cold = SafePrice, true
	e.account.None = 1e6 // enough was saved before
	var gone []string
	for _, c := range e.Plan(m).Changes {
		gone = append(gone, fmt.Sprintf("%d %s: %s", c.Entry, c.Kind, c.Why))
	}
	return gone, e
}

// idle adds requests that use no earlier content.
func (t *talk) idle(requests int) {
	for i := range requests {
		t.entries = append(t.entries, history.New(history.AI, &history.Text{Text: fmt.Sprint("Step ", i)}))
	}
}

// Each rule for pruning is tested at the first request at which it applies.
func TestRules(t *testing.T) {
	t.Parallel()
	text := source("A", 40)
	read := func(t *talk) { t.call("read", map[string]any{"path": "a.go"}, text, false) }
	edit := func(t *talk, n int, failed bool) {
		long := fmt.Sprint(n, strings.Repeat(" unrelated words of an edit\n", minEditLines))
		t.call("replace", map[string]any{"path": "b.go", "old": long, "new": long + "!"}, "ok", failed)
	}
	shell := func(command string, failed bool) func(*talk) {
		return func(t *talk) {
			t.call("shell", map[string]any{"command": command}, strings.Repeat("output ", 50), failed)
		}
	}
	for _, c := range []struct {
		id   string
		say  func(*talk)
		want []string
	}{
		{"a view stays", read, nil},
		{"F1 a later view covers it", func(t *talk) {
			t.call("lines", map[string]any{"path": "a.go", "from": 3, "to": 30}, source("X", 28), false)
			read(t)
		}, []string{"2 view: free"}},
		{"F1 a later view of less does not", func(t *talk) {
			read(t)
			t.call("lines", map[string]any{"path": "a.go", "from": 3, "to": 30}, source("X", 28), false)
		}, nil},
		{"F1 a failed view does not", func(t *talk) { read(t); t.call("read", map[string]any{"path": "a.go"}, "", true) }, nil},
		{"F2 written content, written again", func(t *talk) {
			t.call("write", map[string]any{"path": "a.go", "content": text}, "ok", false)
			t.call("write", map[string]any{"path": "a.go", "content": source("B", 40)}, "ok", false)
		}, []string{"1 written content: free"}},
		{"D-48 written content, and what wrote it again was undone", func(t *talk) {
			t.call("write", map[string]any{"path": "a.go", "content": text}, "ok", false)
			t.call("write", map[string]any{"path": "a.go", "content": source("B", 40)}, "ok", false)
			last := len(t.entries) - 1
			t.entries[last] = t.entries[last].WithMeta(history.MetaUndone, true)
		}, nil},
		{"D-126 a view and written content, and an agent changed the files", func(t *talk) {
			read(t)
			t.call("write", map[string]any{"path": "b.go", "content": text}, "ok", false)
			read2 := func(path string) { t.call("read", map[string]any{"path": path}, source("C", 40), false) }
			read2("c.go")
			t.call("task", map[string]any{"task": "x"}, "agent general, s-abcde: done\nchanged: a.go +1 -1, /w/b.go new\nchanged: c.go", false)
			read2("a.go")
		}, []string{"2 view: free", "3 written content: free"}},
		{"D-126 the agent of the report was undone", func(t *talk) {
			read(t)
			t.call("task", map[string]any{"task": "x"}, "agent general, s-abcde: done\nchanged: a.go +1 -1\nx", false)
			last := len(t.entries) - 1
			t.entries[last] = t.entries[last].WithMeta(history.MetaUndone, true)
		}, nil},
		{"D-126 a report that came as a message", func(t *talk) {
			read(t)
			t.entries = append(t.entries, history.New(history.Human, history.NewData(history.SourceCommand, toolspec.ReportTitle+"general s-abcde ended: x", "agent general, s-abcde: done\nchanged: a.go +1 -1\nx")))
			t.idle(1)
		}, []string{"2 view: free"}},
		{"D-126 the same words in another message", func(t *talk) {
			read(t)
			t.human(toolspec.ReportTitle + "general s-abcde ended\nchanged: a.go +1 -1")
			t.idle(1)
		}, nil},
		{"F3 the old text of all but the newest three edits", func(t *talk) {
			for i := range 4 {
				edit(t, i, false)
			}
		}, []string{"1 old text: free"}},
		{"F4 the answer of a search that ran again", func(t *talk) {
			for range 2 {
				t.call("grep", map[string]any{"pattern": "x"}, text, false)
			}
		}, []string{"2 answer: free"}},
		{"F4 a command that ran again, framed otherwise", func(t *talk) { shell("go test", true)(t); shell("cd /w && go test 2>&1", true)(t) }, []string{"2 output: free"}},
		{"D-120 F5 a view of what is still there is whole at first", func(t *talk) { read(t); read(t) }, nil},
		{"F5 a view of what is still there", func(t *talk) { read(t); read(t); t.idle(1) }, []string{"4 view: free"}},
		{"F6 a failed edit, two requests later", func(t *talk) { edit(t, 1, true); t.idle(2) }, []string{"1 new text: free", "1 old text: free"}},
		{"F6 not at once", func(t *talk) { edit(t, 1, true); t.idle(1) }, nil},
		{"cold: a check that passed, after two", func(t *talk) { shell("go test", false)(t); t.idle(2) }, []string{"2 output: cold"}},
		{"cold: a check that failed, after four", func(t *talk) { shell("go test", true)(t); t.idle(4) }, []string{"2 output: cold"}},
		{"not yet", func(t *talk) { shell("go test", true)(t); t.idle(3) }, nil},
		{"cold: a search, after ten", func(t *talk) { t.call("grep", map[string]any{"pattern": "x"}, text, false); t.idle(10) }, []string{"2 answer: cold"}},
		{"a whole file stays", func(t *talk) { read(t); t.idle(40) }, nil},
		{"and goes at last", func(t *talk) { read(t); t.idle(100) }, []string{"2 view: cold"}},
		{"a file that was looked at goes soon after an edit and a new message", func(t *talk) {
			read(t)
			t.call("replace", map[string]any{"path": "b.go", "old": "x", "new": "y"}, "ok", false)
			t.human("another thing")
			t.idle(24)
		}, []string{"2 view: cold"}},
		{"but a file that was read for a plan stays", func(t *talk) { read(t); t.idle(1); t.human("go ahead"); t.idle(24) }, nil},
		{"cold: a search, after two", func(t *talk) { t.call("grep", map[string]any{"pattern": "x"}, text, false); t.idle(1) }, []string{"2 answer: cold"}},
		{"a search stays while several calls failed", func(t *talk) {
			t.call("grep", map[string]any{"pattern": "x"}, text, false)
			t.entries = append(t.entries,
				history.New(history.AI, &history.ToolCall{ID: "f1", Name: "shell", Parameters: []byte(`{"command":"ls a"}`)}, &history.ToolCall{ID: "f2", Name: "shell", Parameters: []byte(`{"command":"ls b"}`)}),
				history.New(history.Tool, &history.ToolResponse{CallID: "f1", ToolName: "shell", Error: "it failed"}, &history.ToolResponse{CallID: "f2", ToolName: "shell", Error: "it failed"}))
		}, nil},
		{"the result of a server that a human named", func(t *talk) {
			t.human("ask Tracker")
			t.call("mcp__tracker__list", nil, text, false)
			t.idle(4)
		}, nil},
		{"the result of another server", func(t *talk) {
			t.human("ask Tracker")
			t.call("mcp__wiki__list", nil, text, false)
			t.idle(4)
		}, []string{"3 answer: cold"}},
		{"not a file that the session works on", func(t *talk) {
			t.call("replace", map[string]any{"path": "a.go", "old": "x", "new": "y"}, "ok", false)
			read(t)
			t.idle(1)
			t.human("another thing")
			t.idle(24)
		}, nil},
		{"unless it is named", func(t *talk) { read(t); t.idle(60); t.human("look at longer/a.go_x"); t.idle(60) }, []string{"2 view: cold"}},
	} {
		say := &talk{}
		say.human("go")
		c.say(say)
		got, _ := plan(RequestFacts{}, say)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.id, diff)
		}
	}
}

// A restart keeps the pins of files that are still in the conversation.
func TestRebuildKeepsPins(t *testing.T) {
	t.Parallel()
	say := &talk{}
	say.call("read", map[string]any{"path": "a.go"}, source("A", 40), false)
	_, e := plan(RequestFacts{}, say)
	if !e.Pin("/w/a.go", true) {
		t.Fatal("the file is not known")
	}
	e.Rebuild(say.entries)
	if pins := e.Pins(); !slices.Equal(pins, []string{"/w/a.go"}) {
		t.Errorf("%q are pinned", pins)
	}
}

// mergeableFile returns a conversation that reads and edits a file, so that it can be merged, and the
// file's text.
func mergeableFile() (*talk, string) {
	say, text := &talk{}, source("A", 120)
	say.human("go")
	say.call("read", map[string]any{"path": "a.go"}, text, false)
	for i := range 3 {
		old := fmt.Sprintf("func AStep%d() { return call_%d(%d) }\n", i, i, i)
		text = strings.Replace(text, old, "changed\n", 1)
		say.call("replace", map[string]any{"path": "a.go", "old": old, "new": "changed\n"}, "ok", false)
	}
	old := source("A", 90)[len(source("A", 3)):]
	text = strings.Replace(text, old, "all gone\n", 1)
	say.call("replace", map[string]any{"path": "a.go", "old": old, "new": "all gone\n"}, "ok", false)
	return say, text
}

// A merge shows the current text of a file and keeps one copy of it.
func TestFold(t *testing.T) {
	t.Parallel()
	say, text := mergeableFile()
	gone, e := plan(RequestFacts{}, say)
	if len(gone) == 0 {
		t.Fatal("nothing was folded")
	}
	e.Apply(e.Plan(RequestFacts{Price: SafePrice, Cold: true}))
	answer := e.Entry(e.Len() - 1).Blocks[0].(*history.ToolResponse).Result.Text()
	if answer != "ok\n"+foldHeading("/w/a.go")+text { // no request has contained the answer yet (D-120)
		t.Errorf("the copy is not the file: %s", answer)
	}
	// The copy is removed when the whole file is read again (F7).
	e.Add(history.New(history.AI, &history.ToolCall{ID: "z", Name: "read", Parameters: []byte(`{"path":"a.go"}`)}))
	e.Add(history.New(history.Tool, &history.ToolResponse{CallID: "z", Result: history.TextResult(text + "more\n")}))
	var kinds []string
	for _, c := range e.Plan(RequestFacts{Price: SafePrice, Cold: true}).Changes {
		kinds = append(kinds, fmt.Sprint(c.Entry, c.Why))
	}
	if diff := cmp.Diff([]string{fmt.Sprint(e.Len()-3, ReasonFree)}, kinds); diff != "" {
		t.Error(diff)
	}
}

// A merged copy equals the file on disk. Changes by other programs are never shown as current, even
// if they happen while the plan is made. The record, or otherwise the conversation, gives the last
// content that the model has seen.
func TestFoldAsksTheDisk(t *testing.T) {
	t.Parallel()
	said, text := mergeableFile()
	seen, _ := mergeableFile()
	last := len(seen.entries) - 1
	seen.entries[last] = overJSON(t, history.View{Path: "/w/a.go", Hash: history.Digest("package a // seen")}.Note(seen.entries[last]))
	reads := 0
	for name, c := range map[string]struct {
		say   *talk
		files func(string) string
		folds bool
	}{
		"as last seen":             {seen, func(string) string { return "package a // seen" }, true},
		"not as last seen":         {seen, func(string) string { return text }, false},
		"as the conversation says": {said, func(string) string { return text }, true},
		"by other hands":           {said, func(string) string { return text + "// other hands" }, false},
		"gone":                     {said, func(string) string { return "" }, false},
		"gone, and seen before":    {seen, func(string) string { return "" }, false},
		"while the plan is made": {said, func(string) string {
			if reads++; reads > 1 {
				return "changed"
			}
			return text
		}, false},
	} {
		_, e := plan(RequestFacts{Files: c.files}, c.say)
		reads = 0
		folded := false
		for _, change := range e.Plan(RequestFacts{Price: SafePrice, Cold: true, Files: c.files}).Changes {
			if change.Text != "" {
				folded = true
				if on := c.files("/w/a.go"); change.Text != "ok\n"+foldHeading("/w/a.go")+on {
					t.Errorf("%s: shown as current: %s", name, change.Text)
				}
			}
		}
		if folded != c.folds {
			t.Errorf("%s: folded %v", name, folded)
		}
	}
}

// A file is not merged into a view with lines that the known text lacks, because another program
// has changed the file.
func TestNoFoldOfUnknownLines(t *testing.T) {
	t.Parallel()
	for line, folds := range map[string]bool{"func AStep100() { return call_100(100) }": true, "by other hands": false} {
		say, _ := mergeableFile()
		say.call("lines", map[string]any{"path": "a.go", "from": 47, "to": 47}, "47|"+line, false)
		say.call("lines", map[string]any{"path": "a.go", "from": 1, "to": 2}, "no such line", true) // this answer shows no lines
		gone, _ := plan(RequestFacts{}, say)
		if folded := slices.ContainsFunc(gone, func(g string) bool { return strings.HasSuffix(g, "folded") }); folded != folds {
			t.Errorf("%s: folded %v: %v", line, folded, gone)
		}
	}
}

// Text that an edit may quote is pruned only if the account can pay for reading it again. This
// holds even without a cache, where a pruning pass costs nothing. Other text is pruned at once.
func TestRiskNeedsSavings(t *testing.T) {
	t.Parallel()
	for bank, want := range map[float64][]string{0: {"output"}, 10_000: {"view", "output"}} {
		say := &talk{}
		say.human(strings.Repeat("a long story ", 2000))
		say.call("lines", map[string]any{"path": "a.go", "from": 3, "to": 12}, source("X", 10), false)
		say.call("shell", map[string]any{"command": "go test"}, strings.Repeat("output ", 50), false)
		say.idle(45)
		e := newEngine()
		for _, entry := range say.entries {
			e.Add(entry)
		}
		e.account.None = bank
		var gone []string
		for _, c := range e.Plan(RequestFacts{Price: SafePrice, Cold: true}).Changes {
			gone = append(gone, c.Kind)
		}
		if !slices.Equal(gone, want) {
			t.Errorf("with a bank of %.0f went %v, want %v", bank, gone, want)
		}
	}
}

// The lines that an answer reports are more reliable than the requested lines. They are read from
// the record.
func TestShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shown    history.View
		lo, hi   int
		path     string
		fragment bool
	}{
		"nothing noted": {history.View{}, 1, lastLine, "/w/a.go", false},
		"whole":         {history.View{Path: "/x/a.go", From: 1, To: 9, Whole: true}, 1, lastLine, "/x/a.go", false},
		"cut":           {history.View{Path: "/x/a.go", From: 1, To: 9}, 1, 9, "/x/a.go", false},
		"no whole line": {history.View{Path: "/x/a.go"}, 1, lastLine - 1, "/x/a.go", true},
	} {
		say := &talk{}
		say.call("read", map[string]any{"path": "a.go"}, "text", false)
		if c.shown != (history.View{}) {
			say.entries[1] = overJSON(t, c.shown.Note(say.entries[1]))
		}
		e := newEngine()
		for _, entry := range say.entries {
			e.Add(entry)
		}
		f := e.conversation.units[len(e.conversation.units)-1].fact
		if f.lo != c.lo || f.hi != c.hi || f.path() != c.path || f.fragment != c.fragment {
			t.Errorf("%s: %s %d to %d, fragment %v", name, f.path(), f.lo, f.hi, f.fragment)
		}
	}
}

// A file that is requested soon after it was pruned gets a pin. A late request does not pin it.
func TestFeedback(t *testing.T) {
	t.Parallel()
	for requests, want := range map[int]bool{regret: true, regret + 2: false} {
		say := &talk{}
		say.human("go")
		say.call("lines", map[string]any{"path": "a.go", "from": 3, "to": 30}, source("X", 28), false)
		say.idle(45)
		e := newEngine()
		for _, entry := range say.entries {
			e.Add(entry)
		}
		e.account.None = 10_000 // the account can pay for it
		e.Apply(e.Plan(RequestFacts{Price: SafePrice, Cold: true}))
		more := &talk{}
		more.idle(requests - 1)
		more.call("lines", map[string]any{"path": "a.go", "from": 10, "to": 12}, source("X", 3), false)
		for _, entry := range more.entries {
			e.Add(entry)
		}
		if got := e.conversation.files["/w/a.go"].pinned; got != want {
			t.Errorf("asked for again %d requests later: pinned %v", requests, got)
		}
	}
}

// Near the limit, retention is halved except for the shortest one, and the price does not matter.
func TestPressure(t *testing.T) {
	t.Parallel()
	say := &talk{}
	say.human("go")
	say.call("grep", map[string]any{"pattern": "x"}, source("A", 40), false)
	say.idle(6)
	e := newEngine()
	for _, entry := range say.entries {
		e.Add(entry)
	}
	e.Sent(RequestFacts{Price: SafePrice, Cold: true})
	if p := e.Plan(RequestFacts{Price: SafePrice, Pace: 7}); len(p.Changes) > 0 {
		t.Errorf("without need went %v", p.Changes)
	}
	if p := e.Plan(RequestFacts{Price: SafePrice, Pace: 7, Pressed: true}); len(p.Changes) > 0 {
		t.Errorf("what is not cold went: %v", p.Changes)
	}
	if p := e.Plan(RequestFacts{Price: SafePrice, Pace: 7, Pressed: true, Patience: 0.5}); len(p.Changes) != 1 {
		t.Errorf("under pressure went %v", p.Changes)
	}
}
