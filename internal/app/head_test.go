package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/settings"
)

// Changes of instructions, output style and skills appear in the system prompt after /clear and
// after a compression, and not before. An unknown style is reported once.
func TestTheSystemPromptChangesAfterClear(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	base, err := p.Settings(app.Sources{Set: []string{"compression-strategy=high-density", "context-limit=40000"}})
	if err != nil {
		t.Fatal(err)
	}
	c := newParallelConversation(t, p, base, "m", "full-auto")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(p.Home, ".claude/output-styles/terse.md"), "---\nname: Terse\n---\nUse few words.\n")
	idle := func(do func(context.Context) error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		err := do(ctx)
		cancel()
		if ran := <-ended; err != nil || ran != nil {
			t.Fatal(err, ran)
		}
	}
	sent := func() (system, tools string) {
		t.Helper()
		if _, err := c.Chat.Prompt(t.Context(), atcmd.TypedMessage("go "+strings.Repeat("on and on ", 900))); err != nil {
			t.Fatal(err)
		}
		request := c.server.Requests()[len(c.server.Requests())-1]
		return request.Messages[0].Content, fmt.Sprint(request.Tools)
	}
	first, _ := sent()
	lose := []struct {
		name string
		do   func(context.Context) error
	}{
		{"clear", c.Chat.Clear},
		{"compress", func(ctx context.Context) error {
			told, err := c.Chat.Compress(ctx)
			if err == nil && !told.Applied {
				err = fmt.Errorf("nothing was compressed: %s", told.Reason)
			}
			return err
		}},
	}
	before := first
	for i, lost := range lose {
		rule := fmt.Sprintf("Rule number %d.", i)
		write(filepath.Join(c.workspace, "AGENTS.md"), rule)
		write(filepath.Join(c.workspace, ".agents/skills/s/SKILL.md"), fmt.Sprintf("---\nname: s\ndescription: skill number %d\n---\nx", i))
		if err := c.Settings().Set(settings.LayerFlags, "output-style", []string{"terse", "lost"}[i]); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if system, tools := sent(); system != before || strings.Contains(tools, fmt.Sprintf("skill number %d", i)) {
				t.Fatalf("%s: the head changed before: %s", lost.name, system)
			}
		}
		idle(lost.do)
		system, tools := sent()
		if !strings.Contains(system, rule) || strings.Contains(system, "Use few words.") != (i == 0) || strings.Contains(system, "name: Terse") || !strings.Contains(tools, fmt.Sprintf("skill number %d", i)) {
			t.Errorf("after %s: %s\n%s", lost.name, system, tools)
		}
		before = system
	}
	idle(func(ctx context.Context) error { return c.Chat.Clear(ctx) })
	said := 0
	for _, notice := range eventsOf[chat.Notice](c) {
		if strings.Contains(notice.Text, "output-style lost: there is no lost.md") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}
