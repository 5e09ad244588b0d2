package app_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/testing/llmtest"
)

// Instructions that change during a session reach the model as messages after the existing ones.
// The user's own instructions are system messages. Everything before them is unchanged, so the
// cached prefix and the reasoning stay valid.
func TestInstructionsChangeInMidSession(t *testing.T) {
	t.Parallel()
	r := newFallbackConversation(t, "127.0.0.1", "", llmtest.Think("a").Say("one"), llmtest.Think("b").Say("two"), llmtest.Think("c").Say("three"))
	var before *llmtest.Request
	for i, rule := range []string{"", "answer in one word", "answer in two words"} {
		if rule != "" {
			write(t, filepath.Join(r.config, "AGENTS.md"), rule)
		}
		if _, err := r.Chat.Prompt(t.Context(), atcmd.TypedMessage("go on")); err != nil {
			t.Fatal(err)
		}
		now := r.first.Requests()[i]
		if before != nil {
			if last := now.Messages[len(now.Messages)-1]; last.Role != "system" || !strings.Contains(last.Content, rule) {
				t.Errorf("%q arrives as %s: %q", rule, last.Role, last.Content)
			}
			for _, part := range []string{"system", "tools"} {
				if plain(now.Fields[part]) != plain(before.Fields[part]) {
					t.Errorf("%s: %s has changed", rule, part)
				}
			}
			for j, m := range before.Messages {
				if !reflect.DeepEqual(m, now.Messages[j]) {
					t.Errorf("%s: message %d was %+v and is %+v", rule, j, m, now.Messages[j])
				}
			}
			if thoughts := strings.Count(string(now.Body), `"type":"thinking"`); thoughts != i {
				t.Errorf("%s: %d of %d thoughts were sent back", rule, thoughts, i)
			}
		}
		before = now
	}
}

// plain returns a part of a request without cache marks.
func plain(part []byte) string {
	return strings.ReplaceAll(string(part), `,"cache_control":{"type":"ephemeral"}`, "")
}

// A session that is resumed the next day sends the same system prompt and the earlier reasoning. A
// message contains the new date.
func TestResumeTheNextDay(t *testing.T) {
	t.Parallel()
	server := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.Think("hm").Say("ok") })
	p, workspace := newProcess(t), t.TempDir()
	day := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { return day }
	for range 3 {
		own, err := p.Settings(app.Sources{Set: []string{"base-url=" + server.URL, "api=messages", "model=claude-opus-5-5", "context-limit=100000"}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := app.New(t.Context(), p, app.Options{
			Workspace: workspace, Settings: own, Events: func(chat.Event) {}, Unattended: true, Record: app.Record{Continue: len(server.Requests()) > 0},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := c.Chat.Prompt(t.Context(), atcmd.TypedMessage("go on")); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
		day = day.AddDate(0, 0, 1)
	}
	for i, r := range server.Requests() {
		if plain(r.Fields["system"]) != plain(server.Requests()[0].Fields["system"]) {
			t.Errorf("request %d has another system prompt: %s", i+1, r.Fields["system"])
		}
		if thoughts := strings.Count(string(r.Body), `"type":"thinking"`); thoughts != i {
			t.Errorf("request %d has %d of %d thoughts", i+1, thoughts, i)
		}
		told := ""
		if day := 20 + i/2; i%2 == 0 && i > 0 {
			told = fmt.Sprintf("Today is 2026-11-%d.", day)
		}
		if last := r.Last().Content; strings.Contains(last, "Today is") != (told != "") || !strings.Contains(last, told) {
			t.Errorf("request %d ends with %q, want %q", i+1, last, told)
		}
	}
}
