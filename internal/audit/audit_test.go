package audit

import (
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/session"
)

// What the record says was done is listed once and in words, and a record that was changed says so.
func TestReport(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	log, err := session.Create(session.Options{Dir: t.TempDir(), Workspace: "/w", Now: func() time.Time { return now }, Random: rand.New(rand.NewSource(1)), ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	one := 1
	answer := func(tool string, exit *int, d history.Deed) *history.Content {
		return history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: tool, Result: history.TextResult("x"), ExitCode: exit}).WithMeta(history.MetaDeed, d)
	}
	for _, entry := range []*history.Content{
		history.New(history.Human, history.NewInclusion("a.go", "package a")),
		history.New(history.AI, &history.ToolCall{ID: "c", Name: "read_file"}).WithMeta(history.MetaHost, "api.example"),
		history.View{Path: "/w/b.go", From: 3, To: 7, Hash: "abc"}.Note(history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "read_file"})),
		answer("run_shell_command", &one, history.Deed{Ran: "make `x`", Profile: "sandbox", Wrote: []history.Wrote{{Path: "out", After: "sha256:1"}, {Path: "gone", Before: "git:2"}}, Asked: &history.Asked{By: "person", Answer: "allowed", Rule: "for the session: commands \"make\""}}),
		answer("grep", nil, history.Deed{Looked: "search x"}),
		answer("web_fetch", nil, history.Deed{Hosts: []string{"api.example", "www.example"}}),
		answer("mcp__s__t", nil, history.Deed{Served: "s/t", Asked: &history.Asked{By: "rules", Answer: "refused", Rule: "no"}}),
	} {
		if err := log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: entry}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `## Read

- 09:00:00 ` + "`a.go`" + `: hash HASH, by person
- 09:00:00 ` + "`/w/b.go`" + `: lines 3–7, hash abc

## Looked at by searches and lists

- 09:00:00 ` + "`search x`" + `

## Written

- 09:00:00 ` + "`out`" + `: new, is sha256:1
- 09:00:00 ` + "`gone`" + `: was git:2, deleted

## Run

- 09:00:00 ` + "`` make `x` ``" + `: in the sandbox, exit 1

## Reached

- 09:00:00 ` + "`api.example`" + `
- 09:00:00 ` + "`www.example`" + `

## Tools of servers

- 09:00:00 ` + "`s/t`" + `

## Decided

- 09:00:00 ` + "`` make `x` ``" + `: allowed by person, (for the session: commands "make")
- 09:00:00 ` + "`mcp__s__t`" + `: refused by rules, (no)
`
	got := printed(t, log.Path())
	if expected := strings.Replace(want, "HASH", history.Digest("package a"), 1); !strings.HasSuffix(got, expected) || !strings.Contains(got, "- record: 8 lines, each with the hash of the one before; none was changed\n") {
		t.Errorf("%s\nwant\n%s", got, expected)
	}
	data, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log.Path(), []byte(strings.Replace(string(data), "make", "fake", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := printed(t, log.Path()); !strings.Contains(got, "- record: **changed after it was written**: before line 6 a line was changed, removed or put in\n") {
		t.Error(got)
	}
}

func printed(t *testing.T, path string) string {
	t.Helper()
	report, err := Of(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
