package slash_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/session"
	"agent/internal/slash"
)

// withSessions gives a world three sessions. The second one is open.
func withSessions(asked *[]string) func(*slash.Deps) {
	return func(d *slash.Deps) {
		infos := []session.Info{
			{ID: "20261121-1", Used: testTime.Add(-10 * time.Second), Title: "make x", FirstPrompt: "please make the whole of x", Counts: session.Counts{Messages: 1}, Branch: "main", Model: "gpt-5"},
			{ID: "20261121-2", Used: testTime.Add(-5 * time.Minute), Title: "drop y", Counts: session.Counts{Messages: 12}, Parent: "20261121-1"},
			{ID: "20261119-3", Used: testTime.Add(-50 * time.Hour), Title: "old", Unattended: true, Workspace: "/w", Counts: session.Counts{Messages: 3}},
		}
		d.Sessions = slash.SessionLists{
			List: func(all bool) ([]session.Info, error) {
				if all {
					return infos, nil
				}
				return infos[:2], nil
			},
			InUse: func() string { return "20261121-2" },
			Now:   d.Now,
		}
		d.Resume = func(id string) error {
			if id == "x" {
				return errors.New("no such session")
			}
			if id == "several words" {
				return &session.AmbiguousError{Name: id, Fit: infos[:2]}
			}
			*asked = append(*asked, id)
			return nil
		}
		d.Record.Fork = func() (string, string, error) { return "one", "two", nil }
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	var asked []string
	w := newWorld(t, withSessions(&asked))
	out := w.run(t, "/sessions")
	want := `session          used  messages  branch  title
20261121-1        now         1  main    make x
20261121-2  5 min ago        12          drop y`
	if got := text(out); got != want {
		t.Errorf("list\n%s", got)
	}
	var choices []string
	for _, c := range out.Pick.Choices {
		choices = append(choices, c.Name+", "+c.Help+", "+c.Line)
	}
	if got := strings.Join(choices, "\n"); got != "make x, now · 1 message · main · gpt-5, /resume 20261121-1\ndrop y, 5 min ago · fork · 12 messages, /resume 20261121-2" || !out.Pick.Choices[1].InUse {
		t.Errorf("choices\n%s", got)
	}
	if got := text(w.run(t, "/sessions all")); !strings.Contains(got, "2 days ago") || !strings.Contains(got, "(/w)") {
		t.Errorf("all\n%s", got)
	}
	w.refused(t, "/sessions everything", "unknown argument")

	if out := w.run(t, "/resume 20261121-1"); !out.Quit || strings.Join(asked, " ") != "20261121-1" {
		t.Errorf("resume: %+v, asked %q", out, asked)
	}
	if out := w.run(t, "/resume several words"); out.Quit || out.Pick.Query != "several words" || len(out.Pick.Choices) != 2 {
		t.Errorf("a name of several: %+v", out)
	}
	if out := w.run(t, "/resume"); out.Quit || len(out.Pick.Choices) != 2 {
		t.Errorf("without an id: %+v", out)
	}
	if got := w.values("/resume "); len(got) != 2 {
		t.Errorf("completions %q", got)
	}
	w.refused(t, "/resume x", "no such session")
	if got := text(w.run(t, "/fork")); !strings.Contains(got, "session two. Session one is unchanged") {
		t.Errorf("fork %q", got)
	}
	w.session.err = chat.ErrBusy
	w.refused(t, "/resume 20261121-1", "a turn is running")
	w.refused(t, "/fork", "a turn is running")

	none := newWorld(t, withSessions(&asked), func(d *slash.Deps) { d.Resume, d.Record.Fork = nil, nil })
	none.refused(t, "/resume 20261121-1", "agent -r ID")
	none.refused(t, "/fork", "is not recorded")
	if out := none.run(t, "/sessions"); out.Pick != nil {
		t.Error("a list to choose from where nothing can be chosen")
	}
}

// A session can be renamed, and found by its title, its first message and its content.
func TestRename(t *testing.T) {
	t.Parallel()
	var asked []string
	title := ""
	w := newWorld(t, withSessions(&asked), func(d *slash.Deps) {
		d.Record.Rename = func(to string) error { title = to; return nil }
		d.Record.Title = func() string { return title }
	})
	for _, step := range [][2]string{
		{"/rename", "no title"},
		{"/rename the parser, at last", "Title: the parser, at last"},
		{"/rename", "Title: the parser, at last"},
		{`/rename ""`, "Title: the parser, at last"},
		{"/rename - x", "Title: - x"},
		{"/rename -", "Removed"},
		{"/rename", "no title"},
	} {
		if got := text(w.run(t, step[0])); !strings.Contains(got, step[1]) {
			t.Errorf("%s: %q", step[0], got)
		}
	}
	all := w.run(t, "/sessions all")
	if len(all.Pick.Choices) != 2 || !strings.Contains(text(all), "-p: old") {
		t.Errorf("the run of a script is among the conversations: %+v", all.Pick.Choices)
	}
	if found := all.Pick.Matches("whole x", all.Pick.SearchTexts()); len(found) != 1 || found[0] != 0 {
		t.Errorf("by the first message are found %v", found)
	}
	without := newWorld(t, withSessions(&asked))
	without.refused(t, "/rename x", "is not recorded")
}

// The keys of the list rename and delete sessions, and show other folders and non-interactive
// sessions.
func TestSessionListKeys(t *testing.T) {
	t.Parallel()
	var asked, deleted []string
	title := ""
	w := newWorld(t, withSessions(&asked), func(d *slash.Deps) {
		d.Sessions.Rename = func(_ session.Info, to string) error { title = to; return nil }
		d.Sessions.Delete = func(i session.Info) error { deleted = append(deleted, i.ID); return nil }
	})
	list := w.run(t, "/sessions").Pick
	act := func(key string, choice int, text string) error {
		for _, a := range list.Actions {
			if a.Key == key {
				next, err := a.Run(list.Choices[choice], text)
				if err == nil {
					list = next
				}
				return err
			}
		}
		return errors.New("no such key")
	}
	if err := act("ctrl+x", 1, ""); err == nil || deleted != nil {
		t.Errorf("the open session was deleted: %v", err)
	}
	if err := errors.Join(act("ctrl+t", 1, "new"), act("ctrl+x", 0, ""), act("ctrl+o", 0, ""), act("ctrl+s", 0, "")); err != nil {
		t.Error(err)
	}
	if title != "new" || strings.Join(deleted, " ") != "20261121-1" {
		t.Errorf("renamed to %q, deleted %q", title, deleted)
	}
	if len(list.Choices) != 1 || list.Choices[0].Name != "old" || list.Title != "agent -p run, every folder" {
		t.Errorf("the runs of scripts are %q: %+v", list.Title, list.Choices)
	}
}
