package consent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/trustedfile"
)

// trust returns the items of a repository: a server that runs a script, two lists of rules, and a
// server that can't be approved.
func (w world) trust() *consent.Trust {
	w.Helper()
	w.write("project/run.sh", "1")
	mcp, rules := filepath.Join(w.root, ".mcp.json"), filepath.Join(w.root, "sub/rules.json")
	items := []consent.Item{
		{Kind: consent.KindAllow, Name: "rules", File: rules, Effects: manifest.List{{Name: manifest.Rule, Text: "Bash(ls)"}, {Name: manifest.Rule, Text: "Read", Note: "no effect here"}}},
		{Kind: consent.KindServer, Name: "db", File: mcp, Line: 3, Effects: manifest.List{{Name: manifest.Command, Text: "./run.sh $A", Role: manifest.RoleLine}, {Name: manifest.Variable, Text: "B"}}},
		{Kind: consent.KindAllow, Name: "more", File: rules, Effects: manifest.List{{Name: manifest.Rule, Text: "Edit"}}},
		{Kind: consent.KindServer, Name: "bad", File: mcp, Effects: manifest.List{{Name: "url", Text: "http://\xff"}}},
	}
	where := trustedfile.Locations{Config: filepath.Join(w.home, "config"), Home: w.home, Workspace: w.root}
	return consent.Find(where, func() time.Time { return day }, items, []string{w.root + "/.mcp.json: says too much"})
}

func (w world) lines(t *consent.Trust) string {
	w.Helper()
	lines, err := t.Describe()
	if err != nil {
		w.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func (w world) answer(t *consent.Trust, yes bool, names ...string) string {
	w.Helper()
	lines, err := t.Answer(yes, names...)
	if err != nil {
		w.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// The prompt shows every effect of an item, and consent covers the shown content.
func TestPromptShowsEveryEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	trust := w.trust()
	shown, err := trust.WaitingItems()
	if err != nil || consent.Title(shown) != "use the configuration of this repository? 4 items" {
		t.Fatalf("%s, %v", consent.Title(shown), err)
	}
	var question []string
	for _, part := range trust.Parts(shown) {
		question = append(question, part.Title)
		question = append(question, part.Lines...)
	}
	want := `server db (.mcp.json:3) · reads A, B|./run.sh $A|variable: B|server bad (.mcp.json)|url: http://` + "\xff" + `|can't be approved: ` + shown[1].Problem +
		`|allow rules (sub/rules.json)|allow: Bash(ls), Read (no effect here)|allow more (sub/rules.json)|allow: Edit||Your answer covers the present content of run.sh, and no other file that these commands load.`
	if got := strings.Join(question, "|"); got != want {
		t.Errorf("the question is\n%s, want\n%s", got, want)
	}
	want = "waiting  " + shown[0].Hash[:8] + `  server db (.mcp.json:3) · reads A, B
    ./run.sh $A
    variable: B
    with run.sh as now
waiting    server bad (.mcp.json)
    url: http://` + "\xff" + `
    can't be approved: ` + shown[1].Problem + `
waiting  ` + shown[2].Hash[:8] + `  allow rules (sub/rules.json)
    allow: Bash(ls), Read (no effect here)
waiting  ` + shown[3].Hash[:8] + `  allow more (sub/rules.json)
    allow: Edit
ignored  .mcp.json: says too much

Your answer does not cover other files that these commands load.
To approve all items, use trust yes; to approve one, trust yes ITEM (its name or letters). To refuse, use trust no.`
	if got := w.lines(trust); got != want {
		t.Errorf("the list is\n%s\nwant\n%s", got, want)
	}
	if got, want := trust.UnansweredLine(), "not used until you approve it (agent trust): .mcp.json: 2 servers; sub/rules.json: 2 times allow"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	shown[0].Files, shown[0].Difference, shown[0].State = nil, []string{"- a", "+ b"}, consent.StateChanged
	if got := trust.Parts(shown[:1]); got[0].Title != "changed: server db (.mcp.json:3) · reads A, B" || !slices.Equal(got[0].Lines, []string{"./run.sh $A", "variable: B", "- a", "+ b"}) || len(got) != 2 || !strings.Contains(got[1].Title, "does not cover") {
		t.Errorf("%+v", got)
	}
	if got := trust.Parts(shown[2:]); len(got) != 2 {
		t.Errorf("rules run nothing: %+v", got)
	}
	report, err := trust.Report()
	if err != nil || len(report.Items) != 4 || !slices.Equal(report.Ignored, []string{".mcp.json: says too much"}) {
		t.Errorf("%+v, %v", report, err)
	}
}

// An answer without names applies to the shown items, or to the present ones if none were shown. An
// answer with names applies to the named items.
func TestAnswersAreAboutWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	trust := w.trust()
	answered := 0
	trust.Answered = func() { answered++ }
	if _, err := trust.Answer(true, "dbb"); err == nil || err.Error() != `no item "dbb"; did you mean db? (to list the items, run: agent trust)` || answered > 0 {
		t.Errorf("%v, answered %d times", err, answered)
	}
	if _, err := trust.Answer(true, "bad"); err == nil || answered > 0 {
		t.Error("what cannot be looked at is agreed to")
	}
	all, _ := trust.Review()
	const shows = "\n    allow: Bash(ls), Read (no effect here)" // these rules were not listed before
	for _, names := range [][]string{{"rules"}, {"allow rules", all[2].Hash[:8]}, {"sub/rules.json: allow rules"}} {
		if got := w.answer(trust, true, names...); got != "agreed: allow rules of sub/rules.json"+shows {
			t.Errorf("%q: %s", names, got)
		}
	}
	if _, err := trust.Answer(true, all[2].Hash[:7]); err == nil {
		t.Error("seven letters name an item")
	}
	if got := w.answer(trust, false, "sub/rules.json"); got != "never used: allow rules of sub/rules.json\nnever used: allow more of sub/rules.json" {
		t.Error(got)
	}
	if answered != 4 {
		t.Errorf("answered %d times", answered)
	}
	if err := trust.ApproveForRun(); err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, r := range trust.ApprovedItems() {
		used = append(used, r.Name)
	}
	if !slices.Equal(used, []string{"db"}) {
		t.Errorf("%q are used for the run", used)
	}
	if got := trust.GuardedPaths(); !slices.Equal(got, []string{filepath.Join(w.root, ".mcp.json"), filepath.Join(w.root, "run.sh")}) {
		t.Errorf("guarded are %q", got)
	}
	if got, err := trust.Forget(); err != nil || answered != 5 || !slices.Equal(got, []string{"Removed all your answers about " + w.root + ". 4 items there need approval again."}) {
		t.Errorf("%q, %v", got, err)
	}
	if left := trust.UnansweredLine(); !strings.Contains(left, "2 times allow") || len(trust.ApprovedItems()) > 0 {
		t.Errorf("forgotten, and yet %s", left)
	}
}

// Content that changes while the prompt is open is not approved.
func TestChangesWhileThePromptIsOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mkdir(".git")
	w.write("run.sh", "1")
	item := consent.Item{Kind: consent.KindServer, Name: "db", File: filepath.Join(w.home, ".mcp.json"), Effects: manifest.List{{Name: manifest.Command, Text: "./run.sh", Role: manifest.RoleWord}}}
	trust := consent.Find(trustedfile.Locations{Config: filepath.Join(w.home, "config"), Home: w.home, Workspace: w.home}, func() time.Time { return day }, []consent.Item{item}, nil)
	if _, err := trust.WaitingItems(); err != nil {
		t.Fatal(err)
	}
	w.write("run.sh", "2")
	if got := w.answer(trust, true); got != "agreed: server db of .mcp.json\nNot used, because it changed after it was shown (+ file run.sh: other bytes). To see it now, run: agent trust\nFor this run only: approvals for the home folder are not saved." {
		t.Error(got)
	}
	if err := trust.Store.Check(item); err == nil {
		t.Error("what was not shown runs")
	}
	if got := w.answer(trust, true); !strings.HasPrefix(got, "agreed: ") || trust.Store.Check(item) != nil || trust.UnansweredLine() != "" {
		t.Errorf("what is there now is not agreed to: %s, %s", got, trust.UnansweredLine())
	}
	if got := w.answer(trust, true); got != "Nothing needs your approval." {
		t.Error(got)
	}
	if got := w.lines(trust); strings.Contains(got, "trust yes") || !strings.HasPrefix(got, "used ") {
		t.Error(got)
	}
	w.write("run.sh", "3")
	if got := trust.UnansweredLine(); got != "not used until you approve it (agent trust): .mcp.json: server db" {
		t.Error(got)
	}
	w.write("config/allowed.json", "[")
	if err := trust.ApproveForRun(); err == nil || !strings.HasPrefix(trust.UnansweredLine(), "the configuration of the repository is not used: can't read your approvals") {
		t.Errorf("%v, %s", err, trust.UnansweredLine())
	}
	if _, err := trust.Answer(true, "db"); err == nil {
		t.Error("an answer is kept in a broken file")
	}
	if _, err := trust.Describe(); err == nil {
		t.Error("answers are listed of a broken file")
	}
	if _, err := trust.Forget(); err == nil {
		t.Error("answers of a broken file are forgotten")
	}
	nothing := consent.Find(trustedfile.Locations{Config: w.home, Home: w.home, Workspace: w.root}, func() time.Time { return day }, nil, nil)
	if got := w.lines(nothing); got != "Nothing in this repository needs your approval." {
		t.Error(got)
	}
}

// A yes for a name covers the listed content, even if another program or another prompt follows the
// list. A yes for all never covers an item that was not listed.
func TestChangesAfterTheList(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(t *testing.T, w world, listed *consent.Trust) *consent.Trust{
		"another program": func(_ *testing.T, w world, _ *consent.Trust) *consent.Trust { return w.trustWith() },
		"a question": func(t *testing.T, _ world, listed *consent.Trust) *consent.Trust {
			if got, err := listed.Answer(true, "allow more"); err != nil || got[0] != "agreed: allow more of sub/rules.json" {
				t.Fatal(got, err)
			}
			return listed
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			listed := w.trustWith()
			w.write("project/run.sh", "1")
			before := w.lines(listed)
			w.write("project/run.sh", "2")
			trust := between(t, w, listed)
			const changed = "agreed: server db of .mcp.json\nNot used, because it changed after it was shown (+ file run.sh: other bytes). To see it now, run: agent trust"
			id := strings.Fields(before)[1]
			if got := w.answer(trust, true, id); got != changed {
				t.Errorf("%s: %s", id, got)
			}
			if left := trust.UnansweredLine(); !strings.Contains(left, "server db") {
				t.Errorf("what was not shown is used: %s", left)
			}
			if got := w.answer(trust, true, "db"); got != "agreed: server db of .mcp.json" || strings.Contains(trust.UnansweredLine(), "server db") {
				t.Errorf("by its difference it was shown: %s, %s", got, trust.UnansweredLine())
			}
			trust.Add(consent.Item{Kind: consent.KindServer, Name: "new", File: filepath.Join(w.root, ".mcp.json"), Effects: manifest.List{{Name: manifest.Command, Text: "evil", Role: manifest.RoleWord}}})
			trust.Add(consent.Item{Kind: consent.KindAllow, Name: "rules", File: filepath.Join(w.root, "sub/rules.json"), Effects: manifest.List{{Name: manifest.Rule, Text: "Bash(ls)"}}})
			if got := w.answer(trust, true); !strings.Contains(got, "server new of .mcp.json is new and waits for your approval. Run: agent trust") || strings.Contains(got, "agreed: server new") {
				t.Error(got)
			}
			if left := trust.UnansweredLine(); !strings.Contains(left, "server new") {
				t.Errorf("what was not listed is used: %s", left)
			}
		})
	}
}

// trustWith is trust without the server that can't be approved.
func (w world) trustWith() *consent.Trust {
	items := []consent.Item{
		{Kind: consent.KindServer, Name: "db", File: filepath.Join(w.root, ".mcp.json"), Effects: manifest.List{{Name: manifest.Command, Text: "./run.sh", Role: manifest.RoleWord}}},
		{Kind: consent.KindAllow, Name: "more", File: filepath.Join(w.root, "sub/rules.json"), Effects: manifest.List{{Name: manifest.Rule, Text: "Edit"}}},
	}
	return consent.Find(trustedfile.Locations{Config: filepath.Join(w.home, "config"), Home: w.home, Workspace: w.root}, func() time.Time { return day }, items, nil)
}

// GuardedPaths includes the links that lead to approved files, and their targets.
func TestGuardedLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/lib/real.sh", "1")
	for name, to := range map[string]string{"hooks": "lib", "lib/run.sh": "real.sh"} {
		if err := os.Symlink(to, filepath.Join(w.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	item := consent.Item{Kind: consent.KindServer, Name: "db", File: filepath.Join(w.root, ".mcp.json"), Effects: manifest.List{{Name: manifest.Command, Text: "./hooks/run.sh", Role: manifest.RoleWord}}}
	trust := consent.Find(trustedfile.Locations{Config: filepath.Join(w.home, "config"), Home: w.home, Workspace: w.root}, func() time.Time { return day }, []consent.Item{item}, nil)
	w.answer(trust, true)
	var want []string
	for _, name := range []string{".mcp.json", "hooks", "hooks/run.sh", "lib/real.sh", "lib/run.sh"} {
		want = append(want, filepath.Join(w.root, name))
	}
	if got := trust.GuardedPaths(); !slices.Equal(got, want) {
		t.Errorf("guarded are %q, want %q", got, want)
	}
}
