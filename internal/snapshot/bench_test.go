//go:build unix

package snapshot_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"agent/internal/snapshot"

	"golang.org/x/sys/unix"
)

// A snapshot of a file of 100 kB takes at most 2 ms.
func BenchmarkEdit100kB(b *testing.B) {
	w := newBench(b, nil)
	content := []byte(strings.Repeat("some line of a source file\n", 100_000/27))
	w.write("f", string(content))
	for i := 0; b.Loop(); i++ {
		copy(content, fmt.Sprintf("%09d", i)) // always different
		w.BeginEdit(snapshot.FileEdit{Abs: w.path("f"), Before: content, After: content})
	}
}

// BenchmarkCommand measures the overhead of a command in a repository: a read-only command, and a
// command that creates a file. It counts processor time, including git.
func BenchmarkCommand(b *testing.B) {
	for _, files := range []int{1000, 20_000} {
		w := repositoryOf(b, files)
		for name, does := range map[string]func(int){
			"looks": func(int) {},
			"makes": func(i int) { w.write(fmt.Sprintf("d0/made%d", i), "x") },
		} {
			b.Run(fmt.Sprint(name, files), func(b *testing.B) {
				w.BeginCommand(b.Context())()
				before := processorTime(b)
				for i := 0; b.Loop(); i++ {
					settle := w.BeginCommand(b.Context())
					does(i)
					settle()
				}
				b.ReportMetric((processorTime(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// Undo of a thousand files takes at most a second, and so does redo. Each file is synced to the
// disk.
func BenchmarkUndo1000(b *testing.B) {
	w := newBench(b, nil)
	for i := range 1000 {
		w.write(fmt.Sprint("f", i), "before")
	}
	w.BeginTurn("1")
	w.run("for f in f*; do echo $f >$f; done")
	for b.Loop() {
		if changed := append(w.undo(), w.redo()...); len(changed) != 2000 {
			b.Fatalf("%d files were changed", len(changed))
		}
	}
}

// processorTime returns the processor time of this program and its finished child processes.
func processorTime(t testing.TB) (took time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var used unix.Rusage
		if err := unix.Getrusage(who, &used); err != nil {
			t.Fatal(err)
		}
		took += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return took
}

// repositoryOf returns a workspace in which git tracks this number of files, with a hundred
// different contents.
func repositoryOf(t testing.TB, files int) *bench {
	b := newBench(t, nil)
	ago := time.Now().Add(-time.Hour) // a file that git has stored is older than its index
	for i := range files {
		name := fmt.Sprintf("d%d/f%d", i/100, i)
		b.write(name, fmt.Sprintf("file %d\n", i%100))
		if err := os.Chtimes(b.path(name), ago, ago); err != nil {
			t.Fatal(err)
		}
	}
	b.shell("git init -q --template=; git add -A; sleep 0.03")
	return b
}

// In a large repository, the store checks every file but copies none, because git has the contents.
func TestTrackedFilesAreNotCopied(t *testing.T) {
	t.Parallel()
	b := repositoryOf(t, 400)
	start := b.contents()
	b.BeginTurn("1")
	b.run("rm -r d3; echo x > d1/f100")
	entries, err := os.ReadDir(b.folder + "/objects")
	if err == nil && len(entries) > 5 {
		t.Errorf("%d contents were copied", len(entries))
	}
	b.undo()
	b.want(start)
}

// During a command in a large repository, the memory for each file is small, because the command
// may run for a long time.
func TestLittleIsHeldOfEachFileDuringACommand(t *testing.T) {
	const few, many, mostBytes = 100, 1300, 70
	held := func(files int) int64 {
		b := repositoryOf(t, files)
		before := heap()
		b.BeginCommand(t.Context())() // some memory is always in use
		settle := b.BeginCommand(t.Context())
		during := heap()
		settle()
		return during - before
	}
	least := int64(math.MaxInt64) // other goroutines of the tests allocate too
	for range 3 {
		least = min(least, (held(many)-held(few))/(many-few))
	}
	if least > mostBytes {
		t.Errorf("%d bytes for each file", least)
	}
}

// heap returns the number of reachable bytes.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
