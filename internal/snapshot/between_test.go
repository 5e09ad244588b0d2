package snapshot_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/snapshot"
)

// append adds a line to a file as another program does.
func (b *bench) append(name, line string) {
	b.t.Helper()
	content, err := os.ReadFile(b.path(name))
	must(b.t, err)
	b.write(name, string(content)+line)
}

// replaced edits a part of a file as a tool does.
func (b *bench) replaced(name, old, with string) {
	b.t.Helper()
	content, err := os.ReadFile(b.path(name))
	must(b.t, err)
	b.edit(name, strings.Replace(string(content), old, with, 1))
}

// If another program writes a file between two changes, undo keeps its content. The whole plan is
// refused and names the file.
func TestForeignChangesBetweenTwoChangesStay(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"edit", "command"} {
		for _, git := range []bool{true, false} {
			for _, turns := range []int{1, 2} {
				for foreign, between := range map[string]func(b *bench){
					"line":       func(b *bench) { b.append("f", "HAND\n") },
					"mode":       func(b *bench) { must(b.t, os.Chmod(b.path("f"), 0o755)) },
					"other kind": func(b *bench) { b.shell("rm f; ln -s g f") },
				} {
					if foreign == "other kind" && second == "edit" {
						continue // an edit follows the link
					}
					t.Run(fmt.Sprintf("%s, %s, git %v, turns %d", foreign, second, git, turns), func(t *testing.T) {
						t.Parallel()
						b := newBench(t, map[string]string{"f": "a: 0\nb: 0\n", "g": "g\n"})
						if git {
							b.repository("git add .; exec git commit -qm x", "f", "g")
						}
						b.BeginTurn("first")
						start := b.Mark()
						b.replaced("f", "a: 0", "a: 1")
						between(b)
						if turns == 2 {
							b.BeginTurn("second")
						}
						if second == "edit" {
							b.replaced("f", "b: 0", "b: 1")
						} else {
							b.run("rm -f f; printf 'by the command\n' > f")
						}
						end := b.contents()
						if turns == 2 { // only its own turn can be undone
							b.undo()
							b.redo()
							b.want(end)
						}
						for _, plan := range []*snapshot.Plan{b.planned(b.PlanUndo(t.Context())), b.planned(b.PlanRestore(t.Context(), start))} {
							if turns == 2 && plan.Kind == snapshot.Undo {
								continue
							}
							if len(plan.Steps) > 0 || fmt.Sprint(plan.Refused) != "[f: another program changed it between the recorded changes]" {
								t.Errorf("%s changes %v, refused %v", plan.Kind, plan.Steps, plan.Refused)
							}
							if _, err := b.Apply(plan); err == nil {
								t.Errorf("%s was done", plan.Kind)
							}
						}
						b.want(end)
					})
				}
			}
		}
	}
}

// A commit of another program between two changes changes no file, although git then has the
// content.
func TestACommitBetweenTwoChangesIsNoChange(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"f": "0\n"})
	b.repository("git add .; exec git commit -qm x", "f")
	start := b.contents()
	b.BeginTurn("1")
	b.edit("f", "1\n")
	b.shell("touch -d '1 hour ago' f; git commit -qam y")
	b.run("echo 2 >> f")
	b.undo()
	b.want(start)
}

// Whoever writes in whatever order, undo never removes a line of another program. Files that no
// other program changed are undone.
func TestUndoKeepsForeignLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		b := newBench(t, map[string]string{"a": "0\n", "b": "0\n"})
		defer b.close()
		names := rapid.SampledFrom([]string{"a", "b"})
		marks := []snapshot.Mark{b.Mark()}
		foreign := map[string][]string{}
		for step := range rapid.IntRange(1, 12).Draw(r, "steps") {
			line, name := fmt.Sprintf("%d\n", step), names.Draw(r, "name")
			switch rapid.SampledFrom([]string{"turn", "edit", "command", "foreign", "undo", "redo", "restore", "anew"}).Draw(r, "step") {
			case "turn":
				b.BeginTurn(line)
				marks = append(marks, b.Mark())
			case "edit":
				b.replaced(name, "0\n", "0\n"+line)
			case "command":
				b.run("echo " + strings.TrimSpace(line) + " >> " + name)
			case "foreign":
				b.append(name, "by hand "+line)
				foreign[name] = append(foreign[name], "by hand "+line)
			case "undo":
				b.tried(b.PlanUndo(t.Context()))
			case "redo":
				b.tried(b.PlanRedo(t.Context()))
			case "restore":
				b.tried(b.PlanRestore(t.Context(), rapid.SampledFrom(marks).Draw(r, "mark")))
			case "anew":
				b.open()
			}
			for name, lines := range foreign {
				content, _ := os.ReadFile(b.path(name))
				for _, line := range lines {
					if !strings.Contains(string(content), line) {
						r.Fatalf("%s has lost %q: %q", name, line, content)
					}
				}
			}
		}
	})
}

// tried applies a plan if that is possible.
func (b *bench) tried(plan *snapshot.Plan, err error) {
	if err == nil {
		_, _ = b.Apply(plan)
	}
}
