package screen

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// If the user leaves while subagents work, the goodbye lists the stopped subagents. If the session
// is recorded, it also explains that they can continue after a resume.
func TestGoodbyeNamesStoppedAgents(t *testing.T) {
	t.Parallel()
	for _, unrecorded := range []bool{false, true} {
		p := &app.Process{Environ: []string{"PATH=" + os.Getenv("PATH")}, Home: t.TempDir(), Dir: t.TempDir(), Version: "test", Now: time.Now}
		answers := make(chan struct{})
		var c *app.Conversation
		server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
			if strings.Contains(r.Messages[0].Content, "# Your task") {
				c.Chat.Interrupt()
				<-answers
				return llmtest.Say("found it")
			}
			if r.Last().Role == "tool" {
				return llmtest.Say("it works")
			}
			return llmtest.Call("task", `{"task":"look","title":"a \u001b[31mlook","background":true}`)
		})
		with, err := p.Settings(app.Sources{Set: []string{"base-url=" + server.URL, "context-limit=100000"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := with.Set(settings.LayerProfile, settings.Model.Key(), "m"); err != nil {
			t.Fatal(err)
		}
		o := app.Options{Workspace: t.TempDir(), Settings: with, KeepsAgents: true, Events: func(chat.Event) {}}
		o.Record.Off = unrecorded
		if c, err = app.New(t.Context(), p, o); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatal(err)
		}
		_, end := c.Serve(t.Context(), nil)
		var out bytes.Buffer
		sayGoodbye(t.Context(), &out, c, &tally{})
		want := `^1 subagent stopped: a ␛\[31mlook \(s-[a-z0-9]{5}\); if you resume the session, the model gets their progress and can continue them\n.*to resume, run: agent -r .*\n$`
		if unrecorded {
			want = `^1 subagent stopped: a ␛\[31mlook \(s-[a-z0-9]{5}\)\n$`
		}
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("%q", out.String())
		}
		close(answers)
		if err := end(); err != nil {
			t.Error(err)
		}
		c.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
