package agentrecords

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tokens"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// If the program ended during the work of a subagent, the report that is built from its record
// states its progress.
func TestReportsFromRecords(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-time.Hour)
	call := func(id, name string, arguments map[string]string) *history.ToolCall {
		data, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		return &history.ToolCall{ID: id, Name: name, Parameters: data}
	}
	task, report := history.HumanText("look"), history.New(history.AI, &history.Text{Text: "REPORT"})
	wrote := history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "write_file", Result: history.TextResult("written")}).
		WithMeta(history.MetaEffect, history.Effect{Wrote: []history.FileChange{{Path: "first.txt"}}})
	writes := history.New(history.AI, &history.Text{Text: "I write."}, call("1", "write_file", map[string]string{"file_path": "first.txt"}),
		call("2", "write_file", map[string]string{"file_path": "second.txt"}), call("3", "write_file", map[string]string{"file_path": "third.txt"}),
		call("4", "run_shell_command", map[string]string{"command": "make it"}), call("5", "read_file", map[string]string{"file_path": "first.txt"}))
	commands := history.New(history.AI, call("4", "run_shell_command", map[string]string{"command": "make it"}))
	const cutOff = ": interrupted when agent ended; to resume it, pass its ID as continue\nchanged: "
	for name, c := range map[string]struct {
		entries []*history.Content
		// since is the index of the first entry after the latest start.
		since int
		want  string
	}{
		"ended":                           {[]*history.Content{task, report}, 0, ": done\nchanged: none\nREPORT"},
		"its reply was cut":               {[]*history.Content{task, report.WithMeta(history.MetaInterrupted, true)}, 0, cutOff + "none\nREPORT"},
		"at work":                         {[]*history.Content{task, writes, wrote}, 0, cutOff + "first.txt, second.txt\nUnknown changes of run_shell_command make it (interrupted when agent ended): changed since then, by it or another program: made.txt\nI write."},
		"a command alone":                 {[]*history.Content{task, commands}, 0, cutOff + "none\nUnknown changes of run_shell_command make it (interrupted when agent ended): changed since then, by it or another program: made.txt, second.txt\nIt wrote no report. Its latest calls:\n- run_shell_command make it"},
		"its report was given before":     {[]*history.Content{task, writes, wrote, report}, 4, cutOff + "none\nIt wrote no report."},
		"its report was given, at work":   {[]*history.Content{task, report, task}, 2, cutOff + "none\nIt wrote no report."},
		"its report was given, and ended": {[]*history.Content{task, report, task, history.New(history.AI, &history.Text{Text: "MORE"})}, 2, ": done\nchanged: none\nMORE"},
		"wrote nothing":                   {[]*history.Content{task, history.New(history.AI, call("1", "read_file", map[string]string{"file_path": "a.txt"}))}, 0, cutOff + "none\nIt wrote no report. Its latest calls:\n- read_file a.txt"},
		"no record":                       {nil, 0, ": interrupted before it started; start the task again\nchanged: none\nIt wrote no report."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			w, err := workspace.New(root, "")
			if err != nil {
				t.Fatal(err)
			}
			now := began
			clock := func() time.Time { now = now.Add(time.Minute); return now }
			parent, err := session.Create(session.Options{Dir: t.TempDir(), Workspace: root, ID: "20261128-000000-aaaaa", Now: clock})
			if err != nil {
				t.Fatal(err)
			}
			defer parent.Close()
			a := session.Agent{ID: "s-aaaaa", Agent: "general", Recorded: began}
			if c.entries != nil {
				log, err := session.Create(session.Options{ID: a.ID, Folder: session.AgentFolder(parent.Path()), Agent: &a, Now: clock})
				if err != nil {
					t.Fatal(err)
				}
				for i, entry := range c.entries {
					if i == c.since && i > 0 {
						a.Recorded = now.Add(time.Second)
					}
					if err := log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: entry}); err != nil {
						t.Fatal(err)
					}
				}
				if c.since == len(c.entries) {
					a.Recorded = now.Add(time.Second)
				}
				if err := log.Close(); err != nil {
					t.Fatal(err)
				}
			}
			for file, age := range map[string]time.Duration{"second.txt": 0, "third.txt": 2 * time.Hour, "made.txt": 0} {
				path := filepath.Join(root, file)
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
					t.Fatal(err)
				}
			}
			p := Reports{log: parent, settings: settings.New(settings.NewRegistry(settings.All(), nil)), traits: tools.NewRegistry(tools.Default()...).Traits, workspace: w}
			if got := p.report(a); got != "agent general, s-aaaaa"+c.want {
				t.Errorf("%q", got)
			}
		})
	}
}

// A report that is built from a record has as many tokens as any other report. It keeps its
// beginning and its end.
func TestLongReportFromARecord(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	parent, err := session.Create(session.Options{Dir: root, Workspace: root, ID: "20261128-000000-aaaaa", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer parent.Close()
	a := session.Agent{ID: "s-aaaaa", Agent: "general", Status: "done", Changed: "a.txt new"}
	log, err := session.Create(session.Options{ID: a.ID, Folder: session.AgentFolder(parent.Path()), Agent: &a, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	entry := history.New(history.AI, &history.Text{Text: "BEGIN " + strings.Repeat("some words of a report ", 3000) + "END"})
	if err := log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: entry}); err != nil {
		t.Fatal(err)
	}
	p := Reports{log: parent, settings: settings.New(settings.NewRegistry(settings.All(), nil))}
	got := p.report(a)
	if n := tokens.NewCounter(tokens.EncodingFor("")).Count(got); n > 2000 || n < 1800 {
		t.Errorf("%d tokens", n)
	}
	if !strings.HasPrefix(got, "agent general, s-aaaaa: done\nchanged: a.txt new\nBEGIN") || !strings.HasSuffix(got, "END") || !strings.Contains(got, `full report: recall, session "s-aaaaa", number `) {
		t.Errorf("%s", got)
	}
}

// After a resume, the report of a background subagent is still due, even if a compression removed
// the answer to its call. After /clear it is not.
func TestReportsOutliveACompression(t *testing.T) {
	t.Parallel()
	said := func(s history.Speaker, b history.Block) history.Mutation {
		return history.Mutation{Kind: history.MutationAdded, Entry: history.New(s, b)}
	}
	task := &history.ToolCall{ID: "c", Name: "task", Parameters: json.RawMessage(`{"task":"look"}`)}
	answer := func(text string) history.Mutation {
		return said(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "task", Result: history.TextResult(text)})
	}
	report := func(title string) history.Mutation {
		return said(history.Human, history.NewData(history.SourceCommand, title, "REPORT"))
	}
	noted := func(m history.Mutation, key string, value any) history.Mutation {
		m.Entry = m.Entry.WithMeta(key, value)
		return m
	}
	began, came := noted(answer("off it goes"), history.MetaStarted, "s-aaaaa"), noted(report("news"), history.MetaReports, []string{"s-aaaaa"})
	// The records of older programs have only the text.
	oldBegan, oldCame := answer("started s-aaaaa; its report comes as a message"), report("The agent explore s-aaaaa ended: look")
	compressed := history.Mutation{Kind: history.MutationReplaced, Cause: "one-shot", Entries: []*history.Content{history.HumanText("a summary")}}
	cleared := history.Mutation{Kind: history.MutationCleared}
	for name, c := range map[string]struct {
		then []history.Mutation
		owed bool
	}{
		"not begun":        {[]history.Mutation{answer("off it goes")}, false},
		"begun":            {[]history.Mutation{began}, true},
		"compressed":       {[]history.Mutation{began, compressed}, true},
		"came":             {[]history.Mutation{began, came}, false},
		"came, continued":  {[]history.Mutation{began, came, began}, true},
		"came, compressed": {[]history.Mutation{began, came, compressed}, false},
		"cleared":          {[]history.Mutation{began, cleared}, false},
		"old":              {[]history.Mutation{oldBegan}, true},
		"old, came":        {[]history.Mutation{oldBegan, oldCame}, false},
		"old, came now":    {[]history.Mutation{oldBegan, came}, false},
	} {
		dir := t.TempDir()
		options := session.Options{Dir: dir, Workspace: dir, ID: "20261128-000000-aaaaa", Now: time.Now}
		log, err := session.Create(options)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range append([]history.Mutation{said(history.Human, &history.Text{Text: "go"}), said(history.AI, task)}, c.then...) {
			if err := log.Observe(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.RecordAgent(session.Agent{ID: "s-aaaaa", Call: "c", Agent: "explore", Title: "look"}); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		log, state, err := session.Resume(log.Path(), options)
		if err != nil {
			t.Fatal(err)
		}
		p := NewReports(state, log, nil, nil, nil)
		if owed := p.owed["s-aaaaa"] > 0; owed != c.owed {
			t.Errorf("%s: the report is owed: %v", name, owed)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
}
