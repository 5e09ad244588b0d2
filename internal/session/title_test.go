package session

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"
)

// titleOf returns the first sentence without greetings and phrases of politeness.
func TestTitleOf(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"":      "",
		"hello": "hello",
		"Hi, can you please fix the failing test in @internal/a_test.go? It broke yesterday.": "fix the failing test in internal/a_test.go",
		"I want you to rename Foo to Bar. Then commit.":                                       "rename Foo to Bar",
		"v1.2 is out; update the changelog":                                                   "v1.2 is out",
		"/review 12":                                                                          "/review 12",
		"main.go is slow":                                                                     "main.go is slow",
		"# Plan\nmore":                                                                        "Plan more",
		"ok now, what?":                                                                       "now, what?",
		"please":                                                                              "please",
	} {
		if got := titleOf(prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

// A title that the user set is listed however long the log becomes. A resumed session and a fork
// keep it, and the user can remove it.
func TestRename(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "please fix the parser")
	listed := func() string {
		t.Helper()
		infos, err := List(o.Dir, o.Workspace)
		if err != nil || len(infos) == 0 {
			t.Fatalf("%v %v", infos, err)
		}
		return infos[0].Title
	}
	if got := listed(); got != "fix the parser" {
		t.Errorf("without a name it is %q", got)
	}
	if err := l.Rename("The parser,\nat last"); err != nil {
		t.Fatal(err)
	}
	if got := l.Title(); got != "The parser," {
		t.Errorf("it is called %q", got)
	}
	for range 12 {
		add(t, l, strings.Repeat("long ", tailStep/20)+`"type":"title"`)
	}
	path := l.Path()
	closeLog(t, l)
	if got := listed(); got != "The parser," {
		t.Errorf("behind much text it is listed as %q", got)
	}
	again, _, err := Resume(path, o)
	if err != nil || again.Title() != "The parser," {
		t.Fatalf("resumed it is %q, %v", again.Title(), err)
	}
	if err := again.Rename(""); err != nil {
		t.Fatal(err)
	}
	closeLog(t, again)
	if got := listed(); got != "fix the parser" {
		t.Errorf("taken back it is %q", got)
	}
}

// A non-interactive session is marked in the list until a user resumes it.
func TestUnattendedSessionsAreMarked(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Unattended = true
	l := create(t, o)
	add(t, l, "count the files")
	closeLog(t, l)
	for _, want := range []bool{true, false} {
		if infos, err := List(o.Dir, o.Workspace); err != nil || infos[0].Unattended != want {
			t.Errorf("%+v, %v", infos, err)
		}
		o.Unattended = false
		again, _, err := Resume(l.Path(), o)
		if err != nil {
			t.Fatal(err)
		}
		add(t, again, "and the folders")
		closeLog(t, again)
	}
}

// Retitle changes only the title, and refuses a session that is in use.
func TestRetitle(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "count the files")
	path := l.Path()
	if err := Retitle(path, "taken", o.Now); !errors.As(err, new(*LockedError)) {
		t.Errorf("while it is open: %v", err)
	}
	closeLog(t, l)
	listed := func() Info {
		infos, err := List(o.Dir, o.Workspace)
		if err != nil || len(infos) != 1 {
			t.Fatalf("%v %v", infos, err)
		}
		return infos[0]
	}
	want := listed()
	later := func() time.Time { return o.Now().Add(time.Hour) }
	for _, title := range []string{"the count", ""} {
		if err := Retitle(path, title, later); err != nil {
			t.Fatal(err)
		}
		got := listed()
		if got.Title != cmp.Or(title, want.Title) || !got.Used.Equal(want.Used) || got.Counts != want.Counts || got.Branch != want.Branch {
			t.Errorf("%q: %+v, want %+v", title, got, want)
		}
	}
}

// An API key that is pasted as a title is not recorded.
func TestTitleHoldsNoKey(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	must(t, l.Rename("fix sk-proj-0123456789abcdefghij now"))
	if got := l.Title(); got != "fix [key] now" {
		t.Errorf("the title is %q", got)
	}
	closeLog(t, l)
}

// The list does not show an API key of the first message either.
func TestFirstPromptHoldsNoKey(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	add(t, l, "fix it with sk-proj-0123456789abcdefghij now")
	closeLog(t, l)
	info, err := Inspect(l.Path())
	if want := "fix it with [key] now"; err != nil || info.Title != want || info.FirstPrompt != want {
		t.Errorf("%+v, %v", info, err)
	}
}
