package command

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// The forms of a command are its grammar. A literal word has priority over a value, a word in
// brackets is optional, and the error for other input states the reason.
func TestForms(t *testing.T) {
	t.Parallel()
	run := func(name string) RunFunc {
		return ShowLines(func(_ context.Context, values []string) ([]string, error) {
			return []string{name + ":" + strings.Join(values, ",")}, nil
		})
	}
	c := New(nil, nil, nil, Command{Name: "do", Aliases: []string{"d"}, Forms: []Form{
		{Args: "KEY VALUE", Rest: true, Run: run("set"), Complete: func(values []string) []Completion { return []Completion{{Value: "v" + strings.Join(values, "")}} }},
		{Args: "unset KEY", Does: "take back", Run: run("unset")},
		{Args: "go [ITEM]", Run: run("go")},
		{Args: "lines", Run: run("lines")},
	}})
	for line, want := range map[string]string{
		"/do a b": "set:a,b", "/D a b c": "set:a,b,c", "/do 'a b' c": "set:a b,c",
		"/do UNSET a": "unset:a", "/do go": "go:", "/do go x": "go:x", "/do lines": "lines:",
		"/do unset":     "an argument is missing: /do unset KEY",
		"/do unset a b": "too many arguments; /do takes KEY VALUE, unset KEY, go [ITEM] or lines",
		"/do a":         "an argument is missing: /do KEY VALUE",
		"/do":           "an argument is missing: /do KEY VALUE",
		"/do lines x":   "too many arguments; /do takes",
	} {
		out, err := c.Run(t.Context(), line)
		got := strings.Join(out.Lines, "\n")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || err == nil && got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string][]string{"/do ": {"v", "unset", "go", "lines"}, "/do a ": {"va"}, "/do go ": nil, "/do lines ": nil, "/do u": {"unset"}} {
		_, proposals := c.Complete(line)
		var got []string
		for _, p := range proposals {
			got = append(got, p.Value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q proposes %q, want %q", line, got, want)
		}
	}
}
