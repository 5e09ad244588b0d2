package audit

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/session"
)

// familyOf makes a session with two finished subagents. The first of them finished twice.
func familyOf(t *testing.T) (path string) {
	t.Helper()
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewSource(1))
	create := func(o session.Options) *session.Log {
		o.Workspace, o.Now, o.Random = "/w", func() time.Time { return now }, random
		log, err := session.Create(o)
		if err != nil {
			t.Fatal(err)
		}
		add(t, log, history.HumanText("hi"))
		return log
	}
	parent := create(session.Options{Dir: t.TempDir(), ID: "s"})
	defer parent.Close()
	note := func(a session.Agent) {
		if err := parent.RecordAgent(a); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"s-aaaaa", "s-bbbbb"} {
		a := session.Agent{ID: id, Agent: "general", Model: "m"}
		note(a)
		options := session.Options{ID: id, Folder: session.AgentFolder(parent.Path()), Agent: &a, Workspace: "/w", Now: func() time.Time { return now }}
		log := create(options)
		for task := range 2 {
			if task > 0 {
				if id == "s-bbbbb" {
					break
				}
				var err error
				if log, _, err = session.Resume(log.Path(), options); err != nil {
					t.Fatal(err)
				}
			}
			add(t, log, history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "run_shell_command", Result: history.TextResult("x")}).WithMeta(history.MetaEffect, history.Effect{Ran: "make " + id}))
			if err := log.Close(); err != nil {
				t.Fatal(err)
			}
			ended := a
			ended.Status, ended.Last = "done", session.LastHash(log.Path())
			note(ended)
		}
	}
	note(session.Agent{ID: "s-ccccc", Agent: "explore"}) // it was in the queue when it was interrupted
	note(session.Agent{ID: "s-ccccc", Agent: "explore", Status: "interrupted"})
	return parent.Path()
}

// The record of a session contains the IDs of its subagents with records, and the hash at which
// each record ends. A missing, exchanged, forged or shortened record is reported by name.
func TestRecordsOfAgentsBelongToTheSession(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		must(err)
		return data
	}
	put := func(path string, data []byte) { must(os.WriteFile(path, data, 0o600)) }
	first := func(data []byte, lines int) []byte {
		return bytes.Join(bytes.SplitAfter(data, []byte("\n"))[:lines], nil)
	}
	for name, tt := range map[string]struct {
		change func(folder, a, b string)
		want   string // "" if nothing is wrong
	}{
		"nothing":          {func(string, string, string) {}, ""},
		"a link to itself": {func(folder, a, _ string) { must(os.Rename(a, folder+"/x")); must(os.Symlink(folder+"/x", a)) }, ""},
		"first deleted":    {func(_, a, _ string) { must(os.Remove(a)) }, "the log of subagent s-aaaaa (general) is missing"},
		"second deleted":   {func(_, _, b string) { must(os.Remove(b)) }, "the log of subagent s-bbbbb (general) is missing"},
		"emptied":          {func(_, a, _ string) { put(a, nil) }, "the log of subagent s-aaaaa (general) is missing"},
		"exchanged": {func(folder, a, b string) {
			must(os.Rename(a, folder+"/x"))
			must(os.Rename(b, a))
			must(os.Rename(folder+"/x", b))
		}, "the log of subagent s-aaaaa belongs to s-bbbbb"},
		"one over the other":    {func(_, a, b string) { put(a, read(b)) }, "the log of subagent s-aaaaa belongs to s-bbbbb"},
		"a copy by a new name":  {func(folder, a, _ string) { put(filepath.Join(folder, "s-zzzzz.jsonl"), read(a)) }, "a log of subagent s-zzzzz exists, but the session did not start that subagent"},
		"a record by hand":      {func(folder, a, _ string) { put(filepath.Join(folder, "s-zzzzz.jsonl"), renamed(t, read(a), "s-zzzzz")) }, "a log of subagent s-zzzzz exists, but the session did not start that subagent"},
		"written anew":          {func(_, a, b string) { put(a, renamed(t, read(b), "s-aaaaa")) }, "the log of subagent s-aaaaa is truncated or replaced"},
		"a link to /dev/null":   {func(_, a, _ string) { must(os.Remove(a)); must(os.Symlink(os.DevNull, a)) }, "the log of subagent s-aaaaa (general) is missing"},
		"cut at its end":        {func(_, _, b string) { put(b, first(read(b), 2)) }, "the log of subagent s-bbbbb is truncated or replaced"},
		"cut at its second end": {func(_, a, _ string) { put(a, first(read(a), 3)) }, "the log of subagent s-aaaaa is truncated or replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := familyOf(t)
			tt.change(session.AgentFolder(path), session.AgentPath(path, "s-aaaaa"), session.AgentPath(path, "s-bbbbb"))
			report, err := ReadReport(path)
			must(err)
			if all := strings.Join(report.Problems, "\n"); report.Unchanged() != (tt.want == "") || !strings.Contains(all, tt.want) || tt.want == "" && all != "" {
				t.Errorf("whole %t, problems %q, want %q", report.Unchanged(), all, tt.want)
			}
			if got := printed(t, path); !strings.Contains(got, tt.want) {
				t.Error(got)
			}
		})
	}
}

// renamed rewrites a record for a subagent with another ID, with a valid hash chain.
func renamed(t *testing.T, data []byte, id string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	var out []byte
	for line := range bytes.Lines(data) {
		var record map[string]json.RawMessage
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		next := line
		if before := session.LastHash(path); before != "" {
			old := append([]byte(`"prev":`), record["prev"]...)
			next = bytes.Replace(next, old, []byte(`"prev":"`+before+`"`), 1)
		}
		for _, other := range []string{"s-aaaaa", "s-bbbbb"} {
			next = bytes.ReplaceAll(next, []byte(`"`+other+`"`), []byte(`"`+id+`"`))
		}
		out = append(out, next...)
		if err := os.WriteFile(path, out, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := session.Verify(path); err != nil || len(c.Broken) > 0 {
		t.Fatalf("%v %+v", err, c)
	}
	return out
}

// Lines without a hash are not reported as unchanged.
func TestLinesWithoutHashesMayHaveBeenChanged(t *testing.T) {
	t.Parallel()
	log := newLog(t, nil)
	add(t, log, history.HumanText("hi"), history.HumanText("there"))
	data, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines[0] = bytes.Replace(lines[0], []byte(`"prev":"",`), nil, 1)
	if err := os.WriteFile(log.Path(), renamed(t, bytes.Join(lines, nil), "x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := printed(t, log.Path()); !strings.Contains(got, "1 line without a hash (from an older version or another program) may have been changed") {
		t.Errorf("%s", got)
	}
}
