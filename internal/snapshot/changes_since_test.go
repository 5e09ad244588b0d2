package snapshot_test

import (
	"fmt"
	"testing"
)

// ChangesSince reports the changes of edits and commands after a mark. A change that was reverted
// does not count.
func TestChangesSinceAMark(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		work []string
		want string
	}{
		"nothing":                     {nil, "[] +0 -0"},
		"a command makes files":       {[]string{"echo x > f1; printf 'y\\nz\\n' > f2"}, "[f1 f2] +3 -0"},
		"a command changes a line":    {[]string{"sed -i s/one/eins/ a"}, "[a] +1 -1"},
		"a command removes":           {[]string{"rm a d/b"}, "[a d/b] +0 -3"},
		"a tool and a command":        {[]string{"edit a", "echo more >> a"}, "[a] +2 -2"},
		"there and back":              {[]string{"echo more >> a", "printf 'one\\ntwo\\n' > a; chmod 644 a"}, "[] +0 -0"},
		"a mode":                      {[]string{"chmod 700 a"}, "[a] +0 -0"},
		"no text":                     {[]string{"printf '\\000' > bin"}, "[bin] +0 -0"},
		"changed since by somebody":   {[]string{"echo x > f1", "unseen: echo y >> f1"}, "[f1] +0 -0"},
		"more files than are counted": {[]string{"for i in $(seq 201); do echo x > n$i; done"}, "201 files +0 -0"},
	} {
		for _, repository := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, repository %v", name, repository), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, map[string]string{"a": "one\ntwo\n", "d/b": "b\n"})
				defer b.close()
				if repository {
					b.repository("git add -A", "a", "d/b")
				}
				b.BeginTurn("before")
				b.run("echo earlier > earlier")
				b.BeginTurn("now")
				mark := b.Mark()
				for _, line := range tt.work {
					switch {
					case line == "edit a":
						b.edit("a", "new\n")
					case len(line) > 8 && line[:8] == "unseen: ":
						b.shell(line[8:])
					default:
						b.run(line)
					}
				}
				got := b.ChangesSince(t.Context(), mark)
				files := fmt.Sprint(got.Files)
				if len(got.Files) > 9 {
					files = fmt.Sprint(len(got.Files), " files")
				}
				if is := fmt.Sprintf("%s +%d -%d", files, got.Added, got.Removed); is != tt.want {
					t.Errorf("%s, want %s", is, tt.want)
				}
			})
		}
	}
}
