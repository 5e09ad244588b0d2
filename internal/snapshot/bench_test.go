package snapshot_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Issue 10: a snapshot of a file of 100 kB takes at most 2 ms.
func BenchmarkEdit100kB(b *testing.B) {
	w := newBench(b, nil)
	content := []byte(strings.Repeat("some line of a source file\n", 100_000/27))
	w.write("f", string(content))
	for i := 0; b.Loop(); i++ {
		copy(content, fmt.Sprintf("%09d", i)) // never the same twice
		w.Edit(w.path("f"), content, content)
	}
}

// What a command costs in a repository, besides itself.
func BenchmarkCommand(b *testing.B) {
	for _, files := range []int{1000, 20_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			w := repositoryOf(b, files)
			w.Command(b.Context())()
			for b.Loop() {
				w.Command(b.Context())()
			}
		})
	}
}

// repositoryOf is a workspace in which git tracks so many files.
func repositoryOf(t testing.TB, files int) *bench {
	b := newBench(t, nil)
	for i := range files {
		if i%100 == 0 {
			if err := os.MkdirAll(b.path(fmt.Sprintf("d%d", i/100)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(b.path(fmt.Sprintf("d%d/f%d", i/100, i)), fmt.Appendf(nil, "file %d\n", i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.shell("git init -q; git add -A; git -c gc.auto=0 -c maintenance.auto=false commit -qm x; sleep 1.1; git update-index --refresh; touch d0; git status >/dev/null")
	return b
}

// A large repository costs a look at every file and not a copy: git has what they hold.
func TestTrackedFilesAreNotCopied(t *testing.T) {
	t.Parallel()
	b := repositoryOf(t, 2000)
	start := b.contents()
	b.Turn("1")
	b.run("rm -r d3; echo x > d1/f100")
	entries, err := os.ReadDir(b.folder + "/objects")
	if err == nil && len(entries) > 5 {
		t.Errorf("%d contents were copied", len(entries))
	}
	b.undo()
	b.want(start)
}
