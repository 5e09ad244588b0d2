package snapshot_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

// If a command creates no file, the store does not start git. It still detects every file that git
// would newly list.
func TestListingIsUsedAgainAndNeverStale(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"beside others":            "echo x > new",
		"in an empty folder":       "echo x > empty/new",
		"in an ignored-only one":   "echo x > logs/new; mkdir logs/deep; echo x > logs/deep/new",
		"in a new folder":          "mkdir -p a/b; echo x > a/b/c",
		"not ignored any more":     ": > .gitignore; echo x > new.log",
		"not excluded any more":    ": > .git/info/exclude; echo x > new.tmp",
		"ignored and tracked":      "echo x > out/new; git add -f out/new",
		"ignored further below":    "echo '!*.log' > sub/.gitignore; echo x > sub/new.log",
		"moved out of the ignored": "mv sub/f out/f; mv out/f moved",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{".gitignore": "*.log\nout/\n", "a.c": "a", "sub/f": "f", "logs/a.log": "l", "out/deep/o": "o"})
			b.shell("mkdir empty; git init -q --template=; mkdir -p .git/info; echo '*.tmp' > .git/info/exclude; git add -A; sleep 0.03")
			start := b.contents()
			b.BeginTurn("1")
			b.run("true")
			ended, end := context.WithCancel(t.Context())
			end() // git does not finish before this command
			settle := b.BeginCommand(ended)
			b.shell(line)
			settle()
			if b.contents() == start {
				t.Fatal("the command did nothing")
			}
			b.undo()
			b.want(start)
		})
	}
}

// The ignore rules also come from files of the home folder. Its path comes from the caller.
func TestListingUsesTheGivenHome(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Home, b.Config = "/some/home", "/some/config"
	for _, want := range []string{"/some/home/.gitconfig", "/some/config/git/config", "/some/config/git/ignore"} {
		if want = filepath.FromSlash(want); !slices.Contains(b.IgnoreFiles("/repository/.git"), want) {
			t.Errorf("%s is not looked at", want)
		}
	}
}
