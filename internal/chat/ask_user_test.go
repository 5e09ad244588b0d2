package chat

import (
	"strings"
	"testing"

	"agent/internal/gate"
	"agent/internal/tools"
)

const asksWhich = `{"questions":[{"question":"Which?","options":[{"label":"left"},{"label":"right"}]}]}`

// Questions of the model are shown in every mode and with every rule, and the answer becomes the
// result of the call. A refusal ends the turn. Without a user, the model decides and continues.
func TestTheModelAsks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mode       gate.Mode
		unattended bool
		decision   Decision
		stop       Stop
		says       string
	}{
		"read-only":          {mode: gate.ModeReadOnly, decision: Decision{Allow: true, Answers: []tools.InquiryAnswer{{Chosen: []string{"left"}}}}, stop: StopDone, says: "Which?\n→ left"},
		"full-auto":          {mode: gate.ModeFullAuto, decision: Decision{Allow: true, Answers: []tools.InquiryAnswer{{Words: "both"}}}, stop: StopDone, says: "in their own words: both"},
		"no answer":          {mode: gate.ModeAsk, decision: Decision{}, stop: StopDenied, says: "the user did not answer"},
		"a yes is no answer": {mode: gate.ModeAsk, decision: Decision{Allow: true}, stop: StopDenied, says: "the user did not answer"},
		"nobody":             {mode: gate.ModeAsk, unattended: true, stop: StopDone, says: "no user to ask; decide, and say what you decided"},
		"nobody, full-auto":  {mode: gate.ModeFullAuto, unattended: true, stop: StopDone, says: "no user to ask; decide, and say what you decided"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calls("ask_user", asksWhich), say("ok"))
			b.config.Tools = tools.NewRegistry(defaultTools()...)
			b.renew()
			b.set("approval-mode", string(tc.mode))
			b.config.Policy.Unattended = tc.unattended
			b.Chat = New(b.config)
			b.answering(tc.decision)
			out, err := b.prompt("go")
			if err != nil || out.Stop != tc.stop {
				t.Fatalf("%+v %v", out, err)
			}
			if asked := len(seen[ApprovalRequested](b)) > 0; asked == tc.unattended {
				t.Errorf("asked: %v", asked)
			}
			if r := b.responses()[0]; !strings.Contains(r.Result.Text()+r.Error, tc.says) {
				t.Errorf("the model reads %q %q", r.Result.Text(), r.Error)
			}
		})
	}
}
