package chat

import (
	"context"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/tools"
)

// A running call can ask the user. Its questions appear one after another. In a script there is no
// user, and the answer is empty.
func TestACallAsksTheUser(t *testing.T) {
	t.Parallel()
	which := []tools.Inquiry{{Question: "Which?", Options: []tools.Option{{Label: "left"}}}}
	for name, tc := range map[string]struct {
		unattended bool
		decision   Decision
		says       string
	}{
		"answered":  {decision: Decision{Allow: true, Answers: []tools.InquiryAnswer{{Chosen: []string{"left"}}}}, says: "left left"},
		"refused":   {decision: Decision{}, says: "nobody nobody"},
		"not whole": {decision: Decision{Allow: true}, says: "nobody nobody"},
		"a script":  {unattended: true, decision: Decision{Allow: true, Answers: []tools.InquiryAnswer{{Words: "x"}}}, says: "nobody nobody"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calls("asks", `{}`), say("ok"))
			b.config.Tools = tools.NewRegistry(fakeTool("asks", func(ctx context.Context, _ *tools.Env) tools.Answer {
				answers := make(chan string, 2)
				for range 2 { // two servers at the same time
					go func() {
						given, answered := b.Chat.Inquire(ctx, "a server asks", which)
						if !answered {
							answers <- "nobody"
							return
						}
						answers <- given[0].String()
					}()
				}
				return tools.Answer{Text: <-answers + " " + <-answers}
			}))
			b.config.Policy.Unattended = tc.unattended
			b.Chat = New(b.config)
			b.answering(tc.decision)
			if _, err := b.prompt("go"); err != nil {
				t.Fatal(err)
			}
			if got := b.responses()[0].Result.Text(); got != tc.says {
				t.Errorf("%q, want %q", got, tc.says)
			}
			if asked := len(seen[ApprovalRequested](b)) > 0; asked == tc.unattended {
				t.Errorf("asked: %v", asked)
			}
		})
	}
}

// A server may ask a question while a call waits for approval. Each prompt gets its own answer.
func TestAServerAsksWhileACallWaits(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a.go"}`), say("ok"))
	b.set("approval-mode", "ask")
	given := make(chan bool, 1)
	b.on = func(e Event) {
		asked, ok := e.(ApprovalRequested)
		switch {
		case ok && asked.Approval.ID == 1:
			go func() {
				_, answered := b.Chat.Inquire(context.Background(), "a server asks", []tools.Inquiry{{Question: "Which?"}})
				given <- answered
			}()
		case ok:
			b.Answer(1, Decision{Allow: true})
			b.Answer(2, Decision{Allow: true, Answers: []tools.InquiryAnswer{{Words: "left"}}})
		}
	}
	if _, err := b.prompt("go"); err != nil || b.responses()[0].Error != "" || !<-given {
		t.Errorf("%v, answered %+v", err, b.responses())
	}
}

// Updates are reported once, before the next request.
func TestUpdatesAreReported(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("look", `{}`), say("ok"))
	b.config.Tools = tools.NewRegistry(fakeTool("look", func(context.Context, *tools.Env) tools.Answer { return tools.Answer{Text: "seen"} }))
	b.renew()
	asked := 0
	b.config.Extensions.News = func() []history.Block {
		if asked++; asked != 2 {
			return nil
		}
		return []history.Block{&history.Text{Text: "[a server came]", Source: history.SourceExtension}}
	}
	b.Chat = New(b.config)
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range b.config.History.RawHistory() {
		all = append(all, string(entry.Speaker)+" "+entry.Text())
	}
	if text := strings.Join(all, "|"); strings.Count(text, "[a server came]") != 1 || !strings.HasSuffix(text, "|"+string(history.Human)+" [a server came]|"+string(history.AI)+" ok") {
		t.Errorf("%s", text)
	}
}
