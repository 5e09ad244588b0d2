package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/lsp"
	"agent/internal/tokens"
	"agent/internal/workspace"
)

// use is an occurrence of a name in the output of a program in scripts/symbols.
type use struct {
	File      string
	Line, Col int
}

func (u use) line() string { return fmt.Sprintf("%s:%d", u.File, u.Line) }

// known is a name with all of its uses, as a compiler resolves them.
type known struct {
	Name  string
	Local bool
	// Fixed is set for a name that is not renamed: a macro, or a name that also occurs in a string.
	Fixed bool
	// At are the positions that the test asks about. Also are further positions that belong to the
	// answer.
	At, Also []use
}

// lines returns the lines with a use.
func (k known) lines() (all []string) {
	for _, u := range slices.Concat(k.At, k.Also) {
		all = append(all, u.line())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// answerLines returns the lines in an answer.
func answerLines(text string) (all []string) {
	file := ""
	for line := range strings.Lines(text) {
		if m := regexp.MustCompile(`^(?:(\S+):)?(\d+): `).FindStringSubmatch(line); m != nil {
			all = append(all, cmp.Or(m[1], file)+":"+m[2])
		} else {
			file = strings.TrimSpace(line)
		}
	}
	slices.Sort(all)
	return all
}

// TestAgainstCompilers compares answers with the results of a compiler in another repository.
// SYMBOL_ROOT is its folder. SYMBOL_TRUTH is the output of a program in scripts/symbols.
// SYMBOL_CHECK is a command that must succeed after a rename.
func TestAgainstCompilers(t *testing.T) {
	root := os.Getenv("SYMBOL_ROOT")
	if root == "" {
		t.Skip("runs with scripts/symbols/run")
	}
	encoded, err := os.ReadFile(os.Getenv("SYMBOL_TRUTH"))
	if err != nil {
		t.Fatal(err)
	}
	var all []known
	if err := json.Unmarshal(encoded, &all); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.New(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Workspace: w, Seen: NewSeenFiles(), Limits: Limits{OutputTokens: 16000, ReadLines: 2000}}
	snapshots(t, env)
	folder := servers(t, env, os.Environ())

	// If a line contains the name twice, the tool uses the first occurrence.
	first := map[string]int{}
	for _, k := range all {
		for _, u := range k.At {
			key := u.line() + k.Name
			first[key] = min(cmp.Or(first[key], u.Col), u.Col)
		}
	}
	random := rand.New(rand.NewPCG(52, 0))
	slices.SortFunc(all, func(a, b known) int { return cmp.Compare(a.At[0].line()+a.Name, b.At[0].line()+b.Name) })
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	// In languages with macros, the text at a position may differ from the name.
	spelled := func(u use, name string) bool {
		content, err := os.ReadFile(filepath.Join(root, u.File))
		list := bytes.Split(content, []byte("\n"))
		return err == nil && u.Line <= len(list) && u.Col <= len(list[u.Line-1]) && bytes.HasPrefix(list[u.Line-1][u.Col-1:], []byte(name))
	}
	sample := func(n int, local bool) (some []known, asked []use) {
		for _, k := range all {
			at := k.At[random.IntN(len(k.At))]
			if n := len(k.lines()); k.Local == local && n > 1 && n <= maxPlaces && first[at.line()+k.Name] == at.Col && spelled(at, k.Name) {
				some, asked = append(some, k), append(asked, at)
			}
			if len(some) == n {
				break
			}
		}
		return some, asked
	}
	names, places := sample(40, false)
	locals, more := sample(10, true)
	right := 0
	for i, k := range append(names, locals...) {
		at := append(places, more...)[i]
		ask := params{"op": "references", "name": k.Name, "file": at.File, "line": at.Line}
		got := call(t, env, SymbolTool(folder), ask)
		for tries := 0; strings.Contains(got.Text, "is still loading") && tries < 10; tries++ {
			t.Logf("%s: %s is still loading", k.Name, at.line())
			got = call(t, env, SymbolTool(folder), ask)
		}
		if list := answerLines(got.Text); slices.Equal(list, k.lines()) {
			right++
		} else {
			less := slices.DeleteFunc(k.lines(), func(l string) bool { return slices.Contains(list, l) })
			extra := slices.DeleteFunc(list, func(l string) bool { return slices.Contains(k.lines(), l) })
			t.Logf("%s at %s: missing %v, too many %v: %s", k.Name, at.line(), less, extra, got.Error)
		}
	}
	t.Logf("references: %d of %d", right, len(names)+len(locals))
	compareWithSearch(t, env, folder, names, places)

	if os.Getenv("SYMBOL_CHECK") == "" {
		return
	}
	renamed, refused := 0, 0
	names, places = sample(200, false)
	for i, k := range names {
		if renamed == 10 || k.Fixed || strings.HasPrefix(k.Name, "Test") || strings.HasPrefix(k.Name, "test") {
			continue
		}
		env.Snapshots.BeginTurn(k.Name)
		env.Seen = NewSeenFiles()
		got := call(t, env, RenameTool(folder), params{"op": "rename", "name": k.Name, "file": places[i].File, "line": places[i].Line, "new_name": k.Name + "Renamed"})
		if got.Error != "" {
			refused++
			t.Logf("%s at %s: %s", k.Name, places[i].line(), got.Error)
			continue
		}
		check := exec.Command("bash", "-c", os.Getenv("SYMBOL_CHECK"))
		check.Dir = root
		output, failed := check.CombinedOutput()
		undo, err := env.Snapshots.PlanUndo(t.Context())
		if err == nil {
			_, err = env.Snapshots.Apply(undo)
		}
		git := exec.Command("git", "status", "--porcelain", "--untracked-files=no")
		git.Dir = root
		left, _ := git.Output()
		if failed != nil || err != nil || len(left) > 0 {
			t.Errorf("%s at %s: %v, undo: %v, left: %s\n%s\n%.2000s", k.Name, places[i].line(), failed, err, left, got.Text, output)
			if len(left) > 0 {
				break
			}
		}
		renamed++
	}
	t.Logf("renames: %d, refused: %d", renamed, refused)
}

// compareWithSearch compares answers of symbol with searches for the same names. It counts their
// tokens, and the searches that list exactly the uses.
func compareWithSearch(t *testing.T, env *Env, folder *lsp.Folder, names []known, at []use) {
	t.Helper()
	env.Limits.FoundTokens = 500
	counter := tokens.NewCounter(tokens.O200K)
	registry := NewRegistry(Default()...)
	search, err := registry.Get("search_file_content")
	if err != nil {
		t.Fatal(err)
	}
	asked, searched, exact := 0, 0, 0
	for i, k := range names {
		asked += counter.Count(call(t, env, SymbolTool(folder), params{"op": "references", "name": k.Name, "file": at[i].File, "line": at[i].Line}).Text)
		found := call(t, env, search, params{"pattern": `\b` + regexp.QuoteMeta(k.Name) + `\b`}).Text
		searched += counter.Count(found)
		if slices.Equal(answerLines(found), k.lines()) {
			exact++
		}
	}
	t.Logf("tokens of %d answers: symbol %d, search %d, which is exact %d times", len(names), asked, searched, exact)
}
