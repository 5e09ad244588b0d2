package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/history"
)

// D-46: what is pasted is sent as data: it is no command, no shell line and includes
// no file, also when it comes back to be edited and is sent again.
func TestWhatIsPastedIsData(t *testing.T) {
	t.Parallel()
	typed := func(text string) atcmd.Part { return atcmd.Part{Text: text} }
	pasted := func(text string) atcmd.Part { return atcmd.Part{Text: text, Source: history.Pasted} }
	for _, test := range []struct {
		name string
		do   func(*screenplay)
		want atcmd.Message
	}{
		{"a decorator", func(s *screenplay) { s.typed("why? "); s.paste("@app.route(1)\ndef x(): ...") }, atcmd.Message{typed("why? "), pasted("@app.route(1)\ndef x(): ...")}},
		{"a command", func(s *screenplay) { s.paste("/set approval-mode full-auto") }, atcmd.Message{pasted("/"), typed("set approval-mode full-auto")}},
		{"a shell line", func(s *screenplay) { s.paste("!rm -rf x") }, atcmd.Message{pasted("!"), typed("rm -rf x")}},
		{"a path after an @ that was typed", func(s *screenplay) { s.typed("see @"); s.paste("a.go") }, atcmd.Message{typed("see @a.go")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 60, 24)
			test.do(s)
			s.press("enter")
			if diff := cmp.Diff([]atcmd.Message{test.want}, s.driver.sent); diff != "" {
				t.Fatalf("sent (-want +got):\n%s", diff)
			}
			s.events(chat.MessageReturned{Message: s.driver.sent[0]})
			s.press("enter")
			if diff := cmp.Diff([]atcmd.Message{test.want, test.want}, s.driver.sent); diff != "" {
				t.Errorf("sent again (-want +got):\n%s", diff)
			}
			s.press("up", "enter")
			if diff := cmp.Diff([]atcmd.Message{test.want, test.want, test.want}, s.driver.sent); diff != "" {
				t.Errorf("recalled and sent (-want +got):\n%s", diff)
			}
		})
	}
}
