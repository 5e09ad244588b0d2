package compression

import (
	"testing"

	"agent/internal/history"
)

// Every phase of pruning keeps pinned files, and no others.
func TestPinnedFilesStay(t *testing.T) {
	t.Parallel()
	pinned := func(config DensityConfig, paths ...string) *DensityConfig {
		config.Pinned = map[string]bool{}
		for _, p := range paths {
			config.Pinned[p] = true
		}
		return &config
	}
	run := func(path string) any {
		return []*history.Content{A(call(path, "read_file", path)), T(res(path, "read_file", long("content of "+path)))}
	}
	runOptimizeCases(t, []optimizeCase{
		{id: "a stale read", entries: conv(read("a"), write("a")), config: pinned(defaults(), "/w/a")},
		{id: "that of another file", entries: conv(read("a"), write("a")), config: pinned(defaults(), "/w/b"), rm: []int{0, 1}, md: [3]int{1}},
		{id: "one of many files", entries: conv(ran("read_many_files", `{"paths":["a","b"]}`, "both"), write("a"), write("b")), config: pinned(defaults(), "/w/b")},
		{id: "an inclusion", entries: conv(H(inc("a", "1")), H(inc("a", "2"))), config: pinned(defaults(), "/w/a")},
		{id: "an old result", entries: conv(run("a"), run("b"), run("c")), config: pinned(recency(1), "/w/a"), rep: map[int]string{3: show(T(res("b", "read_file", PrunedPlaceholder)))}, md: [3]int{0, 0, 1}},
	})
}

// Parts finds the content of a file by its path, whatever entry contains it.
func TestParts(t *testing.T) {
	t.Parallel()
	entries := conv(read("a"), ran("read_many_files", `{"paths":["b","./a"]}`, "both"), H("x\n"+inc("/w/c", "1")), ran("run_shell_command", "ls a", "a"))
	counts := map[string]int{}
	for _, part := range Parts(entries, defaults()) {
		counts[part.Path]++
		if len(part.Blocks) == 0 || part.Call != nil && len(part.Answers) != 1 {
			t.Errorf("%+v", part)
		}
	}
	if counts["/w/a"] != 2 || counts["/w/b"] != 1 || counts["/w/c"] != 1 || len(counts) != 3 {
		t.Errorf("%v", counts)
	}
}
