package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/chat"
	"agent/internal/settings"
)

// The command of the status line receives Claude Code's JSON, and its output has limited length. A
// failed command gives an error that names the setting. The notification command receives one
// argument.
func TestStatusLineAndNotifications(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	base, err := p.Settings(app.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	c := newParallelConversation(t, p, base, "m", "ask")
	set := func(key, value string) {
		t.Helper()
		if err := c.Settings().Set(settings.LayerFlags, key, value); err != nil {
			t.Fatal(err)
		}
	}
	if c.Programs.StatusLine() != nil || c.Programs.NotifyUser(t.Context(), "question", "x") != nil {
		t.Error("something runs that is not set")
	}
	run := func(line string) (string, error) {
		set("status-line.command", line)
		return c.Programs.StatusLine()(t.Context(), chat.Status{Model: "m", Tokens: 50, Limit: 200}, chat.Stats{Cost: 1.5})
	}
	printed, err := run("cat")
	var got struct {
		Model     struct{ Display_name string }
		Workspace struct{ Current_dir string }
		Context   struct{ Used_percentage int } `json:"context_window"`
		Cost      struct{ Total_cost_usd float64 }
		Session   string `json:"session_id"`
		Version   string
	}
	if jsonErr := json.Unmarshal([]byte(printed), &got); err != nil || jsonErr != nil {
		t.Fatal(err, jsonErr, printed)
	}
	if got.Model.Display_name != "m" || got.Workspace.Current_dir != c.Root() || got.Context.Used_percentage != 25 || got.Cost.Total_cost_usd != 1.5 || got.Session != c.ID() || got.Version != "test" {
		t.Errorf("%+v", got)
	}
	if printed, err = run("yes | head -c 100000"); err != nil || len(printed) > 4<<10 {
		t.Errorf("%d bytes, %v", len(printed), err)
	}
	for line, says := range map[string]string{"exit 3": "status-line.command: exit 3", "sleep 60": "longer than 1s"} {
		if _, err := run(line); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", line, err)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	set("notify-command", `f() { printf '%s|%s' $# "$1" >'`+out+`'; }; f`)
	if err := c.Programs.NotifyUser(t.Context(), "question", "asks: run it's $(x)"); err != nil {
		t.Fatal(err)
	}
	if said, _ := os.ReadFile(out); !strings.HasPrefix(string(said), `1|{`) || !strings.Contains(string(said), `"message":"asks: run it's $(x)"`) || !strings.Contains(string(said), `"type":"question"`) {
		t.Errorf("%s", said)
	}
}

// The estimate of an unsent message includes its files. If the message cannot be sent yet, the
// estimate includes only its text.
func TestEstimateOfTypedMessages(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	base, err := p.Settings(app.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	c := newParallelConversation(t, p, base, "m", "ask")
	if err := os.WriteFile(filepath.Join(c.Root(), "a.txt"), []byte("content\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]int{"look at @a.txt": 2, "look at @no.txt": 1, "look": 1} {
		if blocks := c.Brought.Foresee(t.Context(), typed); len(blocks) != want {
			t.Errorf("%s: %+v", typed, blocks)
		}
	}
}
