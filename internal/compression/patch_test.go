package compression

import (
	"encoding/json"
	"slices"
	"testing"

	"agent/internal/history"

	"github.com/google/go-cmp/cmp"
)

// patchCall returns a call of apply_patch with its answer.
func patchCall(text string) []*history.Content {
	arguments, err := json.Marshal(map[string]string{"input": text})
	if err != nil {
		panic(err)
	}
	return ran("apply_patch", string(arguments), "Updated.")
}

const patchOfFour = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Add File: ./new/b\n+x\n*** Delete File: /w/c\n*** Update File: d\n*** Move to: e\n*** End Patch"

// A successful patch is a write of every file that it names (D-96).
func TestAPatchSupersedesReadsOfItsFiles(t *testing.T) {
	t.Parallel()
	stale := optimizeCase{rm: []int{0, 1}, md: [3]int{1, 0, 0}}
	var cases []optimizeCase
	row := func(id string, want optimizeCase, parts ...any) {
		want.id, want.entries = id, conv(parts...)
		cases = append(cases, want)
	}
	for _, path := range []string{"/w/a", "new/b", "c", "/w/d", "e"} {
		row("D-96 "+path, stale, read(path), patchCall(patchOfFour))
	}
	row("another file", optimizeCase{}, read("/w/x"), patchCall(patchOfFour))
	row("read afterwards", optimizeCase{}, patchCall(patchOfFour), read("/w/a"))
	row("all of many", stale, ran("read_many_files", `{"paths":["a","e"]}`, "x"), patchCall(patchOfFour))
	row("not all of many", optimizeCase{}, ran("read_many_files", `{"paths":["a","x"]}`, "x"), patchCall(patchOfFour))
	row("no patch", optimizeCase{}, read("/w/a"), patchCall("*** Update File: a"))
	arguments, err := json.Marshal(map[string]string{"input": patchOfFour})
	if err != nil {
		t.Fatal(err)
	}
	row("not applied", optimizeCase{}, read("/w/a"), A(call("p", "apply_patch", string(arguments))), T(failed("p", "apply_patch", "Nothing was changed.")))
	undone := patchCall(patchOfFour)
	undone[1] = undone[1].WithMeta(history.MetaUndone, true)
	row("undone", optimizeCase{}, read("/w/a"), undone)
	runOptimizeCases(t, cases)
}

// The report of a subagent is a write of the files that it lists as changed (D-126).
func TestAReportSupersedesReadsOfItsFiles_D126(t *testing.T) {
	t.Parallel()
	const report = "agent general, s-abcde: done, 2 requests\nchanged: a +12 -3, new/b new, with, comma +1 -0\nchanged: c"
	stale := optimizeCase{rm: []int{0, 1}, md: [3]int{1, 0, 0}}
	var cases []optimizeCase
	for path, want := range map[string]optimizeCase{"/w/a": stale, "new/b": stale, "c": {}, "x": {}} {
		want.id, want.entries = "D-126 "+path, conv(read(path), ran("task", `{"task":"x"}`, report))
		cases = append(cases, want)
	}
	cases = append(cases, optimizeCase{id: "none", entries: conv(read("none"), ran("task", `{"task":"x"}`, "agent explore, s-abcde: done\nchanged: none\nx"))})
	runOptimizeCases(t, cases)
	if testFacts("task").IsRetrievable() {
		t.Error("an agent is asked again for its report")
	}
}

// A marker, a subject and recall name every file of a patch (D-96).
func TestThePatchOfAMarkerNamesItsFiles(t *testing.T) {
	t.Parallel()
	entries := patchCall(patchOfFour)
	pairs := slices.Collect(history.PairsBackward(entries))
	want := []string{"a", "./new/b", "/w/c", "d", "e"}
	if diff := cmp.Diff(want, writtenBy(pairs[0], entries, testFacts)); diff != "" {
		t.Error(diff)
	}
	if got := TraitsLookup(testFacts).keyValue(pairs[0].Call); got != "a, ./new/b, /w/c, d, e" {
		t.Errorf("its key is %q", got)
	}
	sequence := func(yield func(*history.Content, error) bool) {
		for _, entry := range entries {
			if !yield(entry, nil) {
				return
			}
		}
	}
	for path, want := range map[string]bool{"/w/new/b": true, "e": true, "/w/x": false} {
		if got, err := HasWrite(sequence, path, "/w", testFacts); got != want || err != nil {
			t.Errorf("written %s: %v, %v", path, got, err)
		}
	}
}
