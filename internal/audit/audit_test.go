package audit

import (
	"math/rand"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/session"
)

// A report lists each recorded action once, in words, and reports a changed record.
func TestReport(t *testing.T) {
	t.Parallel()
	log := newLog(t, nil)
	one := 1
	answer := func(tool string, exit *int, d history.Effect) *history.Content {
		return history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: tool, Result: history.TextResult("x"), ExitCode: exit}).WithMeta(history.MetaEffect, d)
	}
	add(
		t, log,
		history.New(history.Human, history.NewInclusion("a.go", "package a")),
		history.New(history.AI, &history.ToolCall{ID: "c", Name: "read_file"}).WithMeta(history.MetaHost, "api.example"),
		history.View{Path: "/w/b.go", From: 3, To: 7, Hash: "abc"}.Note(history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "read_file"})),
		answer("run_shell_command", &one, history.Effect{Ran: "make `x`", Profile: "sandbox", Wrote: []history.FileChange{{Path: "out", After: "sha256:1"}, {Path: "gone", Before: "git:2"}}, Asked: &history.Decision{By: "person", Answer: "allowed", Rule: "for the session: commands \"make\""}}),
		answer("grep", nil, history.Effect{Looked: "search x"}),
		answer("web_fetch", nil, history.Effect{Hosts: []string{"api.example", "www.example"}}),
		answer("mcp__s__t", nil, history.Effect{Served: "s/t", Asked: &history.Decision{By: "rules", Answer: "refused", Rule: "no"}}),
	)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `## Read

- 09:00:00 ` + "`a.go`" + `: hash HASH, by person
- 09:00:00 ` + "`b.go`" + `: lines 3–7, hash abc

## Listed or searched

- 09:00:00 ` + "`search x`" + `

## Written

- 09:00:00 ` + "`out`" + `: new, is sha256:1
- 09:00:00 ` + "`gone`" + `: was git:2, deleted

## Run

- 09:00:00 ` + "`` make `x` ``" + `: in the sandbox, exit 1

## Reached

- 09:00:00 ` + "`api.example`" + `: by the model
- 09:00:00 ` + "`api.example`" + `: by web_fetch
- 09:00:00 ` + "`www.example`" + `: by web_fetch

## MCP tools

- 09:00:00 ` + "`s/t`" + `

## Decided

- 09:00:00 ` + "`` make `x` ``" + `: allowed by person, because of ` + "`for the session: commands \"make\"`" + `
- 09:00:00 ` + "`mcp__s__t`" + `: refused by rules, because of ` + "`no`" + `
`
	got := printed(t, log.Path())
	if expected := strings.Replace(want, "HASH", history.Digest("package a"), 1); !strings.HasSuffix(got, expected) || !strings.Contains(got, "- session log: 8 lines, each with the hash of the line before it; none was changed\n") {
		t.Errorf("%s\nwant\n%s", got, expected)
	}
	data, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log.Path(), []byte(strings.Replace(string(data), "make", "fake", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := printed(t, log.Path()); !strings.Contains(got, "- session log: **changed after it was written**: a line was changed, removed or inserted directly before line 6\n") {
		t.Error(got)
	}
}

// Actions outside the calls of the model are listed with their cause, and a subagent with its name.
func TestActions(t *testing.T) {
	t.Parallel()
	log := newLog(t, &session.Agent{ID: "s", Agent: "explore"})
	two := 2
	for _, act := range []session.Action{
		{By: "hook Stop for agent s-1", Effect: history.Effect{Ran: "lint .", Profile: "none", Exit: &two}},
		{By: "server db", Effect: history.Effect{Ran: "npx db", Profile: "none", ApprovedHash: "abc"}},
		{By: "undo", Effect: history.Effect{Wrote: []history.FileChange{{Path: "a", Before: "sha256:1", After: "sha256:2"}}}},
		{By: "login", Effect: history.Effect{Hosts: []string{"auth.example"}}},
	} {
		if err := log.RecordAction(act); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.RecordCacheRefresh(session.CacheRefresh{Host: "model.example", Cost: 0.02, Held: true}); err != nil {
		t.Fatal(err)
	}
	add(t, log, history.HumanText("hi"))
	got := printed(t, log.Path())
	for _, want := range []string{
		"- 09:00:00 `model.example`: by cache-warming\n",
		"# Audit of agent explore, s\n",
		"- 09:00:00 `lint .`: without a sandbox, exit 2, by hook Stop for agent s-1\n",
		"- 09:00:00 `npx db`: without a sandbox, by server db, approved as abc\n",
		"- 09:00:00 `a`: was sha256:1, is sha256:2, by undo\n",
		"- 09:00:00 `auth.example`: by login\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "older version") {
		t.Error(got)
	}
}

// The report of an older record states the missing information, and the report of an empty record
// states that it is empty.
func TestOldRecords(t *testing.T) {
	t.Parallel()
	log := newLog(t, nil)
	add(t, log, history.HumanText("hi"))
	data, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ record, want string }{
		{strings.Replace(string(data), `,"acts":true`, "", 1), "- recorded by an older version"},
		{"", "- session log: **empty**"},
	} {
		if err := os.WriteFile(log.Path(), []byte(c.record), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := printed(t, log.Path()); !strings.Contains(got, c.want) {
			t.Errorf("%q is missing in\n%s", c.want, got)
		}
	}
}

// No text of the model, of a tool, a file or a hook can add a line to the audit, or break out of
// its position in a line.
func TestLinesCannotBeForged(t *testing.T) {
	t.Parallel()
	const evil = "x`\n- 09:00:00 `rm -rf /`: allowed by person\n## Run\n\x1b[31m\u202e<script>"
	log := newLog(t, nil)
	add(t, log, history.HumanText(evil), history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: evil, Result: history.TextResult(evil)}).WithMeta(history.MetaEffect,
		history.Effect{Ran: evil, Looked: evil, Hosts: []string{evil}, Served: evil, Read: []history.View{{Path: evil, Hash: "h"}}, Wrote: []history.FileChange{{Path: evil}}, Asked: &history.Decision{By: evil, Answer: "allowed", Rule: evil}}))
	if err := log.RecordAction(session.Action{By: evil, Effect: history.Effect{Ran: evil}}); err != nil {
		t.Fatal(err)
	}
	got := printed(t, log.Path())
	for line := range strings.Lines(got) {
		outside := regexp.MustCompile("`` .*? ``").ReplaceAllString(line, "")
		if strings.Contains(outside, "rm -rf") || strings.ContainsAny(line, "\x1b\u202e") {
			t.Errorf("forged: %q in\n%s", line, got)
		}
	}
}

// An audit is shared with other people, so it contains no recognized key, in any field of an
// action.
func TestAuditHasNoKeys(t *testing.T) {
	t.Parallel()
	const key = "ghp_0123456789abcdefABCDEF0123"
	const text = "use " + key + " here"
	log := newLog(t, nil)
	add(t, log, history.HumanText(text), history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: text, Result: history.TextResult(text)}).WithMeta(history.MetaEffect,
		history.Effect{Ran: text, Looked: text, Served: text, Read: []history.View{{Path: text, Hash: "h"}}, Wrote: []history.FileChange{{Path: text}}, Asked: &history.Decision{By: "person", Answer: "allowed", Rule: text}}))
	got := printed(t, log.Path())
	if strings.Contains(got, key) || strings.Count(got, "use [key] here") < 7 {
		t.Errorf("the audit is\n%s", got)
	}
}

// The end of a long command line is not cut.
func TestLongLinesAreWhole(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a=1 ", 20_000) + "touch hidden"
	log := newLog(t, nil)
	add(t, log, history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "run_shell_command", Result: history.TextResult("x")}).WithMeta(history.MetaEffect,
		history.Effect{Ran: line, Asked: &history.Decision{By: "person", Answer: "allowed", Rule: line}}))
	if got := printed(t, log.Path()); strings.Count(got, "a=1 touch hidden`") != 3 {
		t.Errorf("%d lines are whole", strings.Count(got, "touch hidden`"))
	}
}

// newLog returns an empty log.
func newLog(t *testing.T, agent *session.Agent) *session.Log {
	t.Helper()
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	log, err := session.Create(session.Options{Dir: t.TempDir(), Workspace: "/w", Now: func() time.Time { return now }, Random: rand.New(rand.NewSource(1)), ID: "s", Agent: agent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func add(t *testing.T, log *session.Log, entries ...*history.Content) {
	t.Helper()
	for _, entry := range entries {
		if err := log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: entry}); err != nil {
			t.Fatal(err)
		}
	}
}

func printed(t *testing.T, path string) string {
	t.Helper()
	report, err := ReadReport(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
