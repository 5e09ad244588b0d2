package cmdline

import (
	"slices"
	"sync"
	"testing"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"echo a > b":                {"b"},
		"echo a >> 'my file'":       {"my file"},
		"echo a &> b 2>c":           {"b", "c"},
		"bash -c 'echo a > b'":      {"b"},
		"echo a > $X":               {"$X"},
		"cat < a":                   nil,
		"if":                        nil,
		"echo 'a > b":               {"b"},
		"cat a > \"out dir/log\" &": {"out dir/log"},
	} {
		got := Read(line).Redirects()
		for _, file := range want {
			if !slices.Contains(got, file) {
				t.Errorf("%q redirects to %q, without %q", line, got, file)
			}
		}
		if want == nil && got != nil {
			t.Errorf("%q redirects to %q", line, got)
		}
	}
}

// A reading gives the same answers to all callers, also to concurrent ones.
func TestReadingsAreShared(t *testing.T) {
	t.Parallel()
	line := Read("sudo bash -c 'git push' | tail -5")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if nested := line.NestedCalls(); !slices.ContainsFunc(nested, func(call []string) bool { return slices.Equal(call, []string{"git", "push"}) }) {
				t.Errorf("nested: %q", nested)
			}
			if names := line.Pipeline(); !slices.Equal(names, []string{"bash", "tail"}) {
				t.Errorf("pipeline: %q", names)
			}
			if _, err := line.PlainCommands(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
