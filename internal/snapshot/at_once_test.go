package snapshot_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/snapshot"
)

// A running command ends only by itself, whatever reads the store meanwhile. After a kill the store
// therefore knows that the command was interrupted, and its changes are one change.
func TestRunningCommandEndsOnlyByItself(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(b *bench){
		"mark":            func(b *bench) { b.Mark() },
		"plan":            func(b *bench) { _, _ = b.PlanRedo(b.t.Context()) },
		"edit":            func(b *bench) { b.edit("other", "other\n") },
		"edit of it":      func(b *bench) { b.edit("precious", "edited\n") },
		"edit of new":     func(b *bench) { b.edit("deep/new", "edited\n") },
		"command":         func(b *bench) { b.run("echo c > other; mkdir -p deep/er; echo d > deep/er/x") },
		"command on it":   func(b *bench) { b.run("echo c > precious; rm deep/new") },
		"idle command":    func(b *bench) { b.run("true") },
		"begins another":  func(b *bench) { b.BeginCommand(b.t.Context()) },
		"turn":            func(b *bench) { b.Mark(); b.BeginTurn("next"); b.Mark() },
		"put back itself": func(b *bench) { b.edit("precious", "precious\n") },
	} {
		for _, killed := range []bool{true, false} {
			for _, git := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, killed %v, git %v", name, killed, git), func(t *testing.T) {
					t.Parallel()
					b := newBench(t, map[string]string{"precious": "precious\n", "good": "0\n"})
					if git {
						b.repository("git add .; exec git commit -qm x", "precious", "good")
					}
					b.BeginTurn("first")
					b.edit("good", "good\n")
					before := b.contents()
					b.BeginTurn("second")
					settle := b.BeginCommand(t.Context())
					b.shell("printf ruined > precious; mkdir deep; echo 1 > deep/new")
					meanwhile(b)
					b.shell("printf worse >> precious; mkdir -p deep; echo 2 >> deep/new; echo x > late")
					after := b.contents()
					if killed {
						b.open()
					} else {
						settle()
					}
					plan := b.planned(b.PlanUndo(t.Context()))
					if name != "turn" && plan.Title != "second" {
						t.Errorf("undoes %q", plan.Title)
					}
					b.apply(plan, nil)
					b.want(before)
					b.redo()
					b.want(after)
				})
			}
		}
	}
}

// Commands and edits run in parallel and in any order, and the program can be killed at any time.
// Undo restores the files from before the turn, and redo the files from after it.
func TestAnyWorkAtOnceIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		b := newBench(t, map[string]string{"a": "0\n", "d/b": "1\n", "d/e/c": "2\n"})
		defer b.close()
		if rapid.IntRange(0, 29).Draw(r, "repository") == 1 {
			b.shell("touch -d '1 hour ago' a d/b d/e/c; git init -q --template=; git add -A; sleep 0.02")
		}
		b.BeginTurn("first")
		b.work(r, "first\n")
		start, at := b.files(), b.Mark()
		b.BeginTurn("second")
		var running []func() snapshot.Mark
		for step := range rapid.IntRange(1, 10).Draw(r, "steps") {
			content := fmt.Sprintf("%d\n", step)
			switch rapid.SampledFrom([]string{"begin", "change", "change", "work", "mark", "end", "kill"}).Draw(r, "step") {
			case "begin":
				running = append(running, b.BeginCommand(t.Context()))
			case "change":
				if len(running) > 0 {
					b.anyChange(r, content)
				}
			case "work":
				b.work(r, content)
			case "mark":
				b.Mark()
			case "end":
				if n := len(running); n > 0 {
					i := rapid.IntRange(0, n-1).Draw(r, "which")
					running[i]()
					running = append(running[:i], running[i+1:]...)
				}
			case "kill":
				b.open()
				running = nil
			}
		}
		if rapid.Bool().Draw(r, "killed") {
			b.open()
		} else {
			for _, settle := range running {
				settle()
			}
		}
		end := b.files()
		b.Mark() // interrupted work is finished
		b.apply(b.PlanRestore(t.Context(), at))
		if is := b.files(); is != start {
			r.Fatalf("undone, the workspace holds\n%s\nwant\n%s", is, start)
		}
		if start != end {
			b.redo()
			if is := b.files(); is != end {
				r.Fatalf("done again, the workspace holds\n%s\nwant\n%s", is, end)
			}
		}
	})
}
