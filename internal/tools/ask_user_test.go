package tools

import (
	"slices"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/tokens"
)

const twoQuestions = `{"questions":[
	{"question":"Which store?","header":"Store","options":[{"label":"SQLite","description":"one file"},{"label":"Postgres"}]},
	{"question":"Which checks?","multiSelect":true,"options":["vet","race","fuzz"]}]}`

// planAsked plans a call as the turn loop does.
func planAsked(t *testing.T, args string) (Plan, error) {
	t.Helper()
	meant := NewRegistry(Default()...).Translate("ask_user", args)
	return askUser().Plan(t.Context(), &Env{}, meant.Arguments)
}

// The questions of the model are planned as inquiries, and the user's answers are the result. In a
// non-interactive run the result tells the model to decide.
func TestAskUser(t *testing.T) {
	t.Parallel()
	plan, err := planAsked(t, twoQuestions)
	if err != nil {
		t.Fatal(err)
	}
	asked := plan.Preview.Inquiries
	if len(asked) != 2 || asked[0].Header != "Store" || asked[0].Options[0].Description != "one file" || !asked[1].Several || asked[1].Options[2].Label != "fuzz" {
		t.Errorf("it asks %+v", asked)
	}
	got := plan.Answered([]InquiryAnswer{{Words: "a flat\nfile"}, {Chosen: []string{"vet", "fuzz"}, Words: "and lint"}})
	if want := "The user answered:\nWhich store?\n→ in their own words: a flat\nfile\nWhich checks?\n→ vet, fuzz; and in their own words: and lint"; got.Text != want || got.Error != "" {
		t.Errorf("the model reads %q", got.Text)
	}
	if !strings.HasPrefix(got.Summary, "a flat") || !strings.HasSuffix(got.Summary, "; vet, fuzz, and lint") {
		t.Errorf("the person reads %q", got.Summary)
	}
	if got := plan.Apply(t.Context()); got.Error != "no user to ask; decide, and say what you decided" {
		t.Errorf("unattended it says %+v", got)
	}
}

// The arguments of codex (id) and opencode (multiple) are accepted.
func TestAskUserWithForeignArguments(t *testing.T) {
	t.Parallel()
	plan, err := planAsked(t, `{"questions":[{"id":"a","question":"Which?","options":[{"label":"x","preview":"…"},{"label":"y"}],"multiple":true}]}`)
	if err != nil || !plan.Preview.Inquiries[0].Several {
		t.Errorf("%+v, %v", plan.Preview.Inquiries, err)
	}
}

func TestAskUserRefuses(t *testing.T) {
	t.Parallel()
	option := `{"label":"a"},{"label":"b"}`
	question := `{"question":"?","options":[` + option + `]}`
	for args, says := range map[string]string{
		`{}`:               `missing required parameter "questions"`,
		`{"questions":[]}`: "1 to 4 questions, not 0",
		`{"questions":[` + strings.Repeat(question+",", 4) + question + `]}`:      "1 to 4 questions, not 5",
		`{"questions":[{"question":" ","options":[` + option + `]}]}`:             "question 1 is empty",
		`{"questions":[` + question + `,{"question":"?","options":["a"]}]}`:       "question 2 must have 2 to 4 options, not 1",
		`{"questions":[{"question":"?","options":["a","a"]}]}`:                    "a different label",
		`{"questions":["which?"]}`:                                                "must be an object, not a string",
		`{"questions":[{"question":"?","options":["a","b","c","d","e"]}]}`:        "not 5",
		`{"questions":[` + question + `],"title":{"text":"unknown and no text"}}`: `"title"`,
	} {
		if _, err := planAsked(t, args); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v does not say %q", args, err, says)
		}
	}
}

// Density never prunes an answer, the tool is not offered in non-interactive runs, and its
// declaration is within the token budget.
func TestAskUserIsDeclared(t *testing.T) {
	t.Parallel()
	tool := askUser()
	if tool.IsRetrievable() || tool.ShowsFile() || !tool.IsHarmless() || tool.Parallel {
		t.Errorf("it declares %+v", tool.Traits)
	}
	unattended := NewRegistry(WithoutUser(Default())...)
	offered := func(t Tool) bool { return t.Name == tool.Name }
	if slices.ContainsFunc(unattended.ToolsForFormat(""), offered) || !slices.ContainsFunc(NewRegistry(Default()...).ToolsForFormat(""), offered) {
		t.Error("it is offered where nobody is, or not where somebody is")
	}
	if _, err := unattended.Get(tool.Name); err != nil {
		t.Errorf("a call of it is not answered: %v", err)
	}
	if n := tokens.NewCounter(tokens.O200K).Count(tool.Description + string(tool.Parameters())); n > 220 {
		t.Errorf("its declaration takes %d tokens", n)
	}
}

// The tool for plans is offered only if a user can approve a plan. Its declaration is short.
func TestPresentPlanIsDeclared(t *testing.T) {
	t.Parallel()
	tool := presentPlan()
	offered := func(t Tool) bool { return t.Name == tool.Name }
	if slices.ContainsFunc(NewRegistry(WithoutUser(Default())...).ToolsForFormat(""), offered) || !slices.ContainsFunc(NewRegistry(Default()...).ToolsForFormat(""), offered) {
		t.Error("it is offered where nobody is, or not where somebody is")
	}
	if n := tokens.NewCounter(tokens.O200K).Count(tool.Name + tool.Description + string(tool.Parameters())); n > 90 {
		t.Errorf("its declaration takes %d tokens", n)
	}
	if _, err := tool.Plan(t.Context(), &Env{}, arguments.Parse(`{"plan":" \n"}`)); err == nil {
		t.Error("an empty plan is shown")
	}
}
