package tools

import (
	"strings"
	"testing"

	"agent/internal/base/arguments"
)

// noting records the texts of the stored notes.
type noting struct{ kept []string }

func (n *noting) Remember(text string, _ []string, _ string) (NoteDraft, error) {
	return NoteDraft{Text: text, Asks: true, Keep: func(text string, _ bool) (string, string, error) {
		n.kept = append(n.kept, text)
		return "kept", "n1", nil
	}}, nil
}

// A note is stored only after an approval. Its text is the model's, or the user's if the user
// edited it.
func TestRememberRequiresApproval(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		given       InquiryAnswer
		kept, reads string
		declined    bool
	}{
		"yes":         {given: InquiryAnswer{Chosen: []string{keepNote}}, kept: "it is slow", reads: "kept"},
		"edited":      {given: InquiryAnswer{Chosen: []string{keepNote}, Words: "slow at night"}, kept: "slow at night", reads: "kept\nThe user changed it to: slow at night"},
		"no":          {given: InquiryAnswer{Chosen: []string{dropNote}}, reads: "The user does not want this note.", declined: true},
		"no, because": {given: InquiryAnswer{Chosen: []string{dropNote}, Words: "it is in the guide"}, reads: "The user does not want this note. They say: it is in the guide", declined: true},
		"words alone": {given: InquiryAnswer{Words: "yes, keep it or not"}, reads: "They say: yes, keep it or not", declined: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notes := &noting{}
			tool := RememberTool()
			plan, err := tool.Plan(t.Context(), &Env{Notes: notes}, arguments.Parse(`{"note":"it is slow"}`))
			if err != nil {
				t.Fatal(err)
			}
			if asked := plan.Preview.Inquiries[0]; !asked.YesNo || asked.Draft != "it is slow" {
				t.Errorf("it asks %+v", asked)
			}
			answer := plan.Answered([]InquiryAnswer{tc.given})
			if got := strings.Join(notes.kept, "|"); got != tc.kept || answer.Declined != tc.declined || !strings.Contains(answer.ModelText(), tc.reads) {
				t.Errorf("kept %q, answers %+v", got, answer)
			}
			if said := tool.Describe("remember", arguments.Parse(`{"note":"it is slow"}`)).DeclinedText(); said != "not kept: it is slow" {
				t.Errorf("it is told as %q", said)
			}
		})
	}
}

// If the two options of a question are "yes" and "no", it is shown as a yes-no question.
func TestAskUserYesOrNo(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]bool{
		`"Yes, drop it","No"`: true, `"yes","no"`: true, `"No","Yes"`: false, `"SQLite","Postgres"`: false, `"yes","no","later"`: false, `"Yesterday","Now"`: false,
	} {
		plan, err := planAsked(t, `{"questions":[{"question":"?","options":[`+options+`]}]}`)
		if err != nil || plan.Preview.Inquiries[0].YesNo != want {
			t.Errorf("%s: %+v %v", options, plan.Preview, err)
		}
	}
}
