package slash_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/slash"
)

// The interface has exactly these commands.
func TestCommandsOfTheInterface(t *testing.T) {
	t.Parallel()
	want := strings.Fields("help quit clear compress context density set settings profile model tools stats export copy diff retry rewind sessions find remember notes forget resume rename fork btw keys instructions skills hooks trust mcp servers init jobs agents approval theme todo debug undo redo web why share")
	var got []string
	for _, c := range newWorld(t).All() {
		got = append(got, c.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("commands are %q, want %q", got, want)
	}
}

// Every command has a complete declaration, is found by each of its names in upper and lower case,
// and appears in help, lists and completion.
func TestEveryCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := make(map[string]bool)
	overview := text(w.run(t, "/help"))
	if !strings.Contains(overview, "Esc  interrupt the turn") {
		t.Errorf("/help does not tell the keys:\n%s", overview)
	}
	for _, c := range w.All() {
		if c.Help == "" || strings.Contains(c.Help, "\n") || len(c.Forms) == 0 {
			t.Errorf("/%s does not declare itself", c.Name)
		}
		if !strings.Contains(overview, "/"+c.Name+" ") || !strings.Contains(overview, c.Help) {
			t.Errorf("/help does not list /%s", c.Name)
		}
		takesAny := false
		for _, form := range c.Forms {
			takesAny = takesAny || form.Rest
			if form.Does == "" && len(c.Forms) > 1 {
				t.Errorf("/%s %s does not say what it does", c.Name, form.Args)
			}
		}
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if seen[name] {
				t.Errorf("/%s is declared twice", name)
			}
			seen[name] = true
			explained := text(w.run(t, "/help "+strings.ToUpper(name)))
			if !strings.HasPrefix(explained, "/"+c.Name+": "+c.Help) {
				t.Errorf("/help %s says %q", name, explained)
			}
			if values := w.values("/" + name); !slices.Contains(values, "/"+name) {
				t.Errorf("/%s is not proposed, but %q", name, values)
			}
		}
		if !takesAny {
			w.refused(t, "/"+c.Name+" x x x x", "/"+c.Name+" takes ")
		}
	}
}

// An error of the session reaches the user, and no command panics because of it.
func TestSessionErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.err = chat.ErrBusy
	for _, line := range []string{"/clear", "/retry", "/compress", "/context", "/density", "/stats", "/copy"} {
		if _, err := w.Run(t.Context(), line); !errors.Is(err, chat.ErrBusy) || err.Error() != chat.ErrBusy.Error() {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestWrongLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"/contxt":         "unknown command /contxt; did you mean /context?",
		"/zzzz":           "unknown command /zzzz. Run: /help",
		"/":               "a command begins with / and its name",
		"":                "a command begins with / and its name",
		"hello":           "a command begins with / and its name",
		`/set model "gpt`: `a quote " is not closed`,
		"/help contxt":    "did you mean /context?",
		"/clear all":      "/clear takes no arguments",
		"/theme a b":      "too many arguments; /theme takes NAME, or no arguments",
		"/debug maybe":    `unknown argument "maybe"; /debug takes on or off, or no arguments`,
	} {
		newWorld(t).refused(t, line, want)
	}
}

// The output of a command contains the actions for its caller, such as quitting.
func TestEffects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.reply = "the answer"
	if !w.run(t, "/quit").Quit || !w.run(t, "/EXIT").Quit {
		t.Error("/quit does not quit")
	}
	if got := w.run(t, "/copy").Copy; got != "the answer" {
		t.Errorf("/copy copies %q", got)
	}
	if got := w.run(t, "/init").Submit; !strings.Contains(got, "AGENTS.md") {
		t.Errorf("/init submits %q", got)
	}
	if got := w.run(t, "/diff").Diff; got != "--- a/x\n+++ b/x\n" {
		t.Errorf("/diff shows %q", got)
	}
	for _, line := range []string{"/clear", "/retry", "/compress"} {
		w.run(t, line)
	}
	if want := []string{"clear", "retry", "compress"}; !slices.Equal(w.session.done, want) {
		t.Errorf("the session did %q", w.session.done)
	}
}

func TestNothingToShow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *slash.Deps) { d.Diff = noDiff })
	w.refused(t, "/copy", "no answer to copy yet")
	if got := text(w.run(t, "/diff")); got != "No changes since the last commit." {
		t.Errorf("/diff says %q", got)
	}
	if got := text(w.run(t, "/density")); got != "Nothing was pruned yet." {
		t.Errorf("/density says %q", got)
	}
}

// /compress reports three different results.
func TestCompressOutcomes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.compressed = chat.Compressed{Strategy: "high-density", Applied: true, TokensBefore: 50000, TokensAfter: 20000, Limit: 100000}
	if got := text(w.run(t, "/compress")); !strings.Contains(got, "−30k tokens (50% → 20%)") {
		t.Errorf("applied: %q", got)
	}
	w.session.compressed = chat.Compressed{Strategy: "high-density", Reason: "the tail covers everything"}
	if got := text(w.run(t, "/compress")); !strings.Contains(got, "the tail covers everything") {
		t.Errorf("no-op: %q", got)
	}
	w.session.err = errors.New("boom")
	w.refused(t, "/compress", "compression failed; the context is unchanged: boom")
}

func TestTools(t *testing.T) {
	t.Parallel()
	const want = "read_file  read  Reads a file\nreplace    edit  Replaces text"
	if got := text(newWorld(t).run(t, "/tools")); got != want {
		t.Errorf("/tools shows\n%s\nwant\n%s", got, want)
	}
}

func TestDebug(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []struct{ line, want string }{
		{"/debug", "debug is off; log file: /state/agent.log"},
		{"/debug ON", "debug is on; log file: /state/agent.log"},
		{"/debug", "debug is on; log file: /state/agent.log"},
		{"/debug off", "debug is off; log file: /state/agent.log"},
	} {
		if got := text(w.run(t, step.line)); got != step.want {
			t.Errorf("%s: %q, want %q", step.line, got, step.want)
		}
	}
}
