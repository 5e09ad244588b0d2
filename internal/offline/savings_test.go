package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/offline/logs"
	"agent/internal/session"
	"agent/internal/tokens"
	"agent/internal/tools"
)

// claudeLog returns a session of Claude Code. It reads a large file, rewrites it and then discusses
// it, so that the read can be pruned.
func claudeLog(model string, day int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	at := func(minute int) string { return fmt.Sprintf("2026-01-%02dT10:%02d:00Z", day, minute) }
	big := strings.Repeat("some words of a file ", 600)
	line(`{"type":"user","uuid":"0","sessionId":"s","cwd":"/w/p","timestamp":%q,"message":{"content":"go"}}`, at(0))
	line(`{"type":"assistant","uuid":"1","sessionId":"s","timestamp":%q,"message":{"id":"m1","model":%q,"content":[{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"/w/p/a"}}]}}`, at(1), model)
	line(`{"type":"user","uuid":"2","sessionId":"s","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":%q}]}}`, at(1), big)
	line(`{"type":"assistant","uuid":"3","sessionId":"s","timestamp":%q,"message":{"id":"m2","model":%q,"content":[{"type":"tool_use","id":"c2","name":"Write","input":{"file_path":"/w/p/a","content":"short"}}]}}`, at(2), model)
	line(`{"type":"user","uuid":"4","sessionId":"s","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"c2","content":"ok"}]}}`, at(2))
	for i := range 30 {
		line(`{"type":"assistant","uuid":"a%d","sessionId":"s","timestamp":%q,"message":{"id":"n%d","model":%q,"content":[{"type":"tool_use","id":"d%d","name":"Bash","input":{"command":"echo %d"}}]}}`, i, at(3+i), i, model, i, i)
		line(`{"type":"user","uuid":"b%d","sessionId":"s","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"d%d","content":"%d"}]}}`, i, at(3+i), i, i)
	}
	return b.String()
}

func savingsOf(t *testing.T, o SavingsOptions, texts map[string]string) *Savings {
	t.Helper()
	dir := t.TempDir()
	var files []logs.File
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, logs.File{Path: path})
	}
	found, err := FindSavings(t.Context(), files, o, func() (*Engine, error) { return newEngine(t), nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Skipped {
		found.Skipped[i].File = filepath.Base(found.Skipped[i].File)
	}
	return found
}

// The cost of a session and its cost without pruning equal the result of a replay, at the prices of
// the session's model.
func TestSavingsAgreeWithReplay(t *testing.T) {
	t.Parallel()
	text := claudeLog("claude-opus-4-5-20251101", 5)
	found := savingsOf(t, SavingsOptions{}, map[string]string{"s.jsonl": text})
	in := parse(t, text)
	report, err := Replay(t.Context(), in, Strategies(), func() (*Engine, error) { return newEngine(t), nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Sessions) != 1 {
		t.Fatalf("%d sessions, skipped %v", len(found.Sessions), found.Skipped)
	}
	got := found.Sessions[0]
	for _, v := range report.Variants {
		switch {
		case v.Name == noneName && (got.Sent != v.TotalInput || got.Requests != v.Requests || math.Abs(got.Units-v.Cost[0].Units) > 1):
			t.Errorf("sent %d in %d requests for %.0f, replay says %d in %d for %.0f", got.Sent, got.Requests, got.Units, v.TotalInput, v.Requests, v.Cost[0].Units)
		case v.Name == "cache-aware" && (got.With != v.TotalInput || math.Abs(got.WithUnits-v.Cost[0].Units) > 1):
			t.Errorf("with cache-aware %d for %.0f, replay says %d for %.0f", got.With, got.WithUnits, v.TotalInput, v.Cost[0].Units)
		}
	}
	if got.With >= got.Sent {
		t.Errorf("nothing was saved: %+v", got)
	}
	// Claude Opus 4.5 costs 5 USD for a million input tokens.
	if math.Abs(got.Cost-got.Units*5e-6) > 1e-9 || got.Project != "/w/p" || got.Agent != "claude" {
		t.Errorf("%+v", got)
	}
}

func TestSavingsAreSummedUp(t *testing.T) {
	t.Parallel()
	found := savingsOf(t, SavingsOptions{Since: time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)}, map[string]string{
		"one.jsonl":     claudeLog("claude-opus-4-5-20251101", 11),
		"two.jsonl":     claudeLog("claude-opus-4-5-20251101", 12),
		"unknown.jsonl": claudeLog("a-model-of-nobody", 13),
		"early.jsonl":   claudeLog("claude-opus-4-5-20251101", 9),
		"foreign.json":  `{"name":"a package"}`,
		"damaged.jsonl": claudeLog("claude-opus-4-5-20251101", 14) + "{\"cut",
	})
	if n := found.Total.Sessions; n != 4 || len(found.Sessions) != 4 {
		t.Errorf("%d and %d sessions", n, len(found.Sessions))
	}
	if len(found.Projects) != 1 || found.Projects[0].Saving.Sent != found.Total.Sent || len(found.Models) != 2 || len(found.Agents) != 1 {
		t.Errorf("%+v", found)
	}
	known, unknown := found.Models[0], found.Models[1]
	if known.Name != "claude-opus-4-5-20251101" || known.Sessions != 3 || known.Cost == 0 || unknown.Cost != 0 || unknown.Units == 0 {
		t.Errorf("%+v, %+v", known, unknown)
	}
	if found.Sessions[0].Model != known.Name || found.Sessions[0].Latest.Before(found.Sessions[1].Latest) {
		t.Error("the latest session is not the first")
	}
	want := []Skipped{{"damaged.jsonl", "1 damaged lines were skipped"}, {"foreign.json", "not a session of a known coding agent"}}
	if fmt.Sprint(found.Skipped) != fmt.Sprint(want) {
		t.Errorf("skipped %v", found.Skipped)
	}
	// The JSON always contains every member, so that scripts can rely on it.
	var object map[string]json.RawMessage
	empty, err := json.Marshal(savingsOf(t, SavingsOptions{}, nil))
	if err != nil || json.Unmarshal(empty, &object) != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"sessions", "skipped", "projects", "models"} {
		if string(object[member]) != "[]" {
			t.Errorf("%s is %s", member, object[member])
		}
	}
}

func TestSavingsAreShown(t *testing.T) {
	t.Parallel()
	found := savingsOf(t, SavingsOptions{}, map[string]string{"a.jsonl": claudeLog("claude-opus-4-5-20251101", 5), "b.jsonl": claudeLog("mock", 5)})
	var out strings.Builder
	if err := found.Print(&out, "", "/w"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"project\n", "model\n", "~/p\n", "claude-opus-4-5-20251101\n", "mock\n", "2 sessions sent ", "texts that edits quoted"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := found.Print(&out, ByAgent, ""); err != nil || !strings.Contains(out.String(), "claude\n") || strings.Contains(out.String(), "mock") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	if picture := found.Picture("/w"); !strings.Contains(picture, "~/p") || strings.Count(picture, "<rect") != 2 {
		t.Error(picture)
	}
}

func TestSavingsEndWhenInterrupted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(claudeLog("claude-opus-4-5-20251101", 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindSavings(ctx, []logs.File{{Path: path}}, SavingsOptions{}, func() (*Engine, error) { return newEngine(t), nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// BenchmarkSavings reads sessions of half a megabyte each, with the real vocabulary and tools. To
// read 1 GB in a minute on one core, the rate must be 17 MB/s.
func BenchmarkSavings(b *testing.B) {
	var log strings.Builder
	head, rest, _ := strings.Cut(claudeLog("claude-opus-4-6", 3), "\n")
	log.WriteString(head + "\n")
	source, err := os.ReadFile("savings.go")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 30 {
		lines := strings.ReplaceAll(rest, `"id":"`, fmt.Sprintf(`"id":"%d`, i))
		lines = strings.ReplaceAll(lines, `"tool_use_id":"`, fmt.Sprintf(`"tool_use_id":"%d`, i))
		text, _ := json.Marshal(fmt.Sprintf("%d\n%s", i, source))
		big, _ := json.Marshal(strings.Repeat("some words of a file ", 600))
		log.WriteString(strings.Replace(lines, string(big), string(text), 1))
	}
	dir := b.TempDir()
	var files []logs.File
	for i := range 8 {
		path := filepath.Join(dir, fmt.Sprint(i, ".jsonl"))
		if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
			b.Fatal(err)
		}
		files = append(files, logs.File{Path: path})
	}
	registry := tools.NewRegistry(tools.Default()...)
	b.SetBytes(int64(len(files) * log.Len()))
	for b.Loop() {
		found, err := FindSavings(b.Context(), files, SavingsOptions{}, func() (*Engine, error) {
			engine := newEngine(b)
			engine.Counter = func(model string) history.Counter { return tokens.NewCounter(tokens.EncodingFor(model)) }
			engine.Tools = registry
			return engine, nil
		})
		if err != nil || len(found.Sessions) != len(files) {
			b.Fatal(err, found.Skipped)
		}
	}
}

// For sessions that ran with cache-aware, the conclusion reports their cost and the cost without
// pruning. For other sessions it reports the possible cost.
func TestConclusionOfSavings(t *testing.T) {
	t.Parallel()
	pruned := Saving{Requests: 2, Sent: 3000, With: 3000, Units: 1500, WithUnits: 1500, Pruned: PrunedSaving{Sent: 3000, Without: 4000, Units: 1500, WithoutUnits: 2000}}
	other := Saving{Requests: 1, Sent: 1000, With: 500, Units: 1000, WithUnits: 400}
	const ran = "Of these, 1 session of agent ran with cache-aware and sent 3k; without pruning it would have been 4k (×0.75)."
	for name, tt := range map[string]struct {
		savings []Saving
		has     []string
	}{
		"pruned": {[]Saving{pruned}, []string{"1 session sent 3k input tokens in 2 requests.\n", ran}},
		"both":   {[]Saving{pruned, other}, []string{"2 sessions sent 4k input tokens in 3 requests; with cache-aware it would have been 3.5k, at 0.76 of the price.\n", ran}},
	} {
		var s Savings
		for _, saving := range tt.savings {
			s.Total.add(saving, 1)
		}
		for _, want := range tt.has {
			if !strings.Contains(s.conclusion(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, s.conclusion())
			}
		}
	}
}

// FindSavingsWithin sums up the sessions with the latest changes until its time is over. It reports
// whether the sum is complete.
func TestFindSavingsWithin(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(claudeLog("claude-opus-4-5-20251101", 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	one := logs.File{Path: path}
	for name, tt := range map[string]struct {
		limit time.Duration
		files []logs.File
		count int
		all   bool
	}{
		"all":         {time.Minute, []logs.File{one, one}, 2, true},
		"no time":     {0, []logs.File{one}, 0, false},
		"a large one": {time.Minute, []logs.File{one, {Path: path, Size: maxSessionBytes + 1}}, 1, false},
		"none":        {time.Minute, nil, 0, true},
	} {
		found, all := FindSavingsWithin(t.Context(), tt.limit, tt.files, SavingsOptions{}, func() (*Engine, error) { return newEngine(t), nil })
		if len(found.Sessions) != tt.count || all != tt.all {
			t.Errorf("%s: %d sessions, all %v; want %d, %v", name, len(found.Sessions), all, tt.count, tt.all)
		}
	}
}

// The subagents of a session are a part of its cost, and not sessions. This program stores them in
// a folder next to the log. Claude Code stores them in the log or in a separate file.
func TestSavingsOfAgents(t *testing.T) {
	t.Parallel()
	side := strings.NewReplacer(`"uuid":"`, `"isSidechain":true,"agentId":"x","uuid":"s`, `"id":"m`, `"id":"s`).Replace(claudeLog("claude-haiku-4-5", 2))
	alone := savingsOf(t, SavingsOptions{}, map[string]string{"s.jsonl": claudeLog("claude-opus-4-5", 2)})
	for name, texts := range map[string]map[string]string{
		"among its lines":        {"s.jsonl": claudeLog("claude-opus-4-5", 2) + side},
		"in a file of their own": {"s.jsonl": claudeLog("claude-opus-4-5", 2), "agent-x.jsonl": side},
	} {
		found := savingsOf(t, SavingsOptions{}, texts)
		if found.Total.Sessions != 1 || found.Total.Requests != 2*alone.Total.Requests || len(found.Sessions) != 2 || len(found.Models) != 2 || len(found.Skipped) != 0 {
			t.Errorf("%s: %+v, %+v, %+v", name, found.Total, found.Sessions, found.Skipped)
		}
		for _, s := range found.Sessions {
			if (s.Of == "s") != (s.Model == "claude-haiku-4-5") {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
	folder := t.TempDir()
	for path, is := range map[string]string{"id.jsonl": "", "id/s-abcde.jsonl": "id", "other/x.jsonl": ""} {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if got := session.ParentOf(path); got != is {
				t.Errorf("%s is of %q, want %q", path, got, is)
			}
		}()
	}
}
