package app_test

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/testing/llmtest"
)

// A killed session loses no report. The report of a finished subagent arrives as the answer of its
// call, or as a message if it ran in the background. The report of an unfinished subagent names the
// files that it changed. Each report arrives once, even if the session is resumed again.
func TestReportsSurviveAKill(t *testing.T) {
	t.Parallel()
	p, workspace, home := newProcess(t), t.TempDir(), t.TempDir()
	var f *agentConversation
	var killed, answered sync.Once
	begun := make(chan struct{}) // once the conversation knows that a has started
	agent := func(r *llmtest.Request) llmtest.Turn {
		switch {
		case taskOf(r) == "a":
			<-begun
			return llmtest.Say("REPORT-OF-a.")
		case taskOf(r) == "b":
			return llmtest.Say("REPORT-OF-b.")
		case r.Last().Role != "tool":
			return llmtest.Say("I write.").Call("write_file", `{"file_path":"c, d.txt","content":"x"}`)
		}
		for strings.Count(strings.Join(f.Subagents.AgentLines(), "\n"), " — done, ") < 2 {
			runtime.Gosched()
		}
		killed.Do(func() {
			if err := os.CopyFS(home, os.DirFS(p.Home)); err != nil {
				t.Error(err)
			}
		})
		return llmtest.Say("REPORT-OF-c.")
	}
	lead := func(r *llmtest.Request) llmtest.Turn {
		switch {
		case r.Last().Content == "go":
			return llmtest.Call("task", `{"task":"task a","background":true}`)
		case r.Last().Role != "tool" || !strings.HasPrefix(r.Last().Content, "started s-"):
			return llmtest.Say("fine")
		}
		answered.Do(func() { close(begun) })
		return llmtest.Call("task", `{"task":"task b"}`).Call("task", `{"task":"task c","agent":"general"}`)
	}
	f = agentConversationIn(t, p, workspace, app.Options{}, lead, agent, "approval-mode=auto-edit")
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for range 2 {
		again := &app.Process{Environ: p.Environ, Home: home, Dir: p.Dir, Version: "test", Now: p.Now}
		g := agentConversationIn(t, again, workspace, app.Options{Record: app.Record{Continue: true}}, lead, agent)
		if _, err := g.Chat.Prompt(t.Context(), atcmd.TypedMessage("and now?")); err != nil {
			t.Fatal(err)
		}
		last := g.server.Requests()[len(g.server.Requests())-1]
		answers, reports := ledger(t, last)
		if len(answers) != 3 || reports["a"] != 1 || reports["b"] != 1 || reports["c"] != 0 {
			t.Errorf("answers %v, reports %v", answers, reports)
		}
		all := ""
		for _, m := range last.Messages {
			all += m.Content + "\n"
		}
		for _, once := range []string{
			`: interrupted when agent ended; to resume it, pass its ID as continue\nchanged: "c, d.txt"\nI write\.`, "The agent explore s-",
			`: done, 1 request, 0 calls, [^\n]+\nchanged: none\nREPORT-OF-a\.`, `: done, 1 request, 0 calls, [^\n]+\nchanged: none\nREPORT-OF-b\.`,
		} {
			if len(regexp.MustCompile(once).FindAllString(all, -1)) != 1 {
				t.Errorf("not once: %q in %s", once, all[strings.LastIndex(all, "and now?")-1500:])
			}
		}
		g.Close()
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Without a record, a shortened report is complete in a file. The file is removed together with the
// conversation.
func TestCutReportWithoutARecord(t *testing.T) {
	t.Parallel()
	report, kept := strings.Repeat("found words ", 3000), ""
	lead := func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role != "tool" {
			return llmtest.Call("task", `{"task":"look"}`)
		}
		if place := regexp.MustCompile(`full report: (\S+)`).FindStringSubmatch(r.Last().Content); place != nil {
			kept = place[1]
		}
		if text, err := os.ReadFile(kept); err != nil || strings.TrimSpace(string(text)) != strings.TrimSpace(report) {
			t.Errorf("%q has %d bytes, %v", kept, len(text), err)
		}
		return llmtest.Say("done")
	}
	f := newAgentConversation(t, app.Options{Record: app.Record{Off: true}}, lead, inTurn(llmtest.Say(report)))
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := os.Stat(kept); kept == "" || err == nil {
		t.Errorf("%q is left", kept)
	}
}
