package compression

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/history"

	"github.com/google/go-cmp/cmp"
)

// optimizeCase is a row of a scenario table. A zero config means the defaults of the tables.
type optimizeCase struct {
	id      string
	entries []*history.Content
	config  *DensityConfig
	rm      []int
	rep     map[int]string
	md      [3]int
}

func with(config DensityConfig) *DensityConfig { return &config }

func runOptimizeCases(t *testing.T, cases []optimizeCase) {
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			config := defaults()
			if c.config != nil {
				config = *c.config
			}
			before := asJSON(t, c.entries)
			result, err := highDensity{}.Optimize(c.entries, config)
			if err != nil {
				t.Fatal(err)
			}
			if after := asJSON(t, c.entries); after != before {
				t.Errorf("O-03: the input changed\nfrom %s\nto   %s", before, after)
			}
			checkResult(t, c, result)
		})
	}
}

func checkResult(t *testing.T, want optimizeCase, got history.DensityResult) {
	t.Helper()
	if !slices.Equal(got.Removals, want.rm) {
		t.Errorf("removals %v, want %v", got.Removals, want.rm)
	}
	replaced := map[int]string{}
	for i, c := range got.Replacements {
		replaced[i] = show(c)
	}
	if want.rep == nil {
		want.rep = map[int]string{}
	}
	if diff := cmp.Diff(want.rep, replaced); diff != "" {
		t.Errorf("replacements (-want +got):\n%s", diff)
	}
	if md := md(got.Metadata); md != want.md {
		t.Errorf("metadata %v, want %v", md, want.md)
	}
	if got.Empty() && len(got.Prunes) > 0 {
		t.Errorf("an empty result explains %d prunes", len(got.Prunes))
	}
}

// TestOptimizeNothingToDo covers EC-001, EC-002, EC-003, EC-004, EC-042, REQ-HD-005.10,
// REQ-HD-006.4 and REQ-HD-007.6.
func TestOptimizeNothingToDo(t *testing.T) {
	t.Parallel()
	stale := conv(H(inc("a", "1")), read("/w/a"), write("/w/a"), H(inc("a", "2")), write("/w/b"), write("/w/c"), write("/w/d"))
	runOptimizeCases(t, []optimizeCase{
		{id: "O-01 empty"},
		{id: "O-01 one human", entries: conv(H("hi"))},
		{id: "O-01 two humans", entries: conv(H("hi"), H("ho"))},
		{id: "O-01 one ai", entries: conv(A("text"))},
		{id: "O-02 all off", entries: stale, config: with(withSwitches(1))},
		{id: "D-44", entries: elsewhere("/two", conv(H(history.NewInclusion("a", "1")), read("a")), conv(H(history.NewInclusion("a", "2")), write("a"), write("/two/b")))},
		{id: "no facts", entries: conv(read("/w/a"), write("/w/a")), config: &DensityConfig{Switches: map[string]bool{"readWritePruning": true}}},
	})
}

// Each switch runs only its own phase, and a phase without its switch is off (REQ-HD-001.9,
// REQ-HD-007.5).
func TestOptimizeSwitches(t *testing.T) {
	t.Parallel()
	entries := conv(H(inc("a", "1")), read("/w/a"), write("/w/a"), ran("grep", "{}", long("x")), ran("grep", "{}", "y"), H(inc("a", "2")))
	for _, c := range []struct {
		on   []string
		want [3]int
	}{
		{nil, [3]int{}},
		{[]string{"readWritePruning"}, [3]int{1, 0, 0}},
		{[]string{"fileDedupe"}, [3]int{0, 1, 0}},
		{[]string{"recencyPruning"}, [3]int{0, 0, 1}},
	} {
		result, err := highDensity{}.Optimize(entries, withSwitches(1, c.on...))
		if err != nil || md(result.Metadata) != c.want {
			t.Errorf("%v counts %v, %v", c.on, result.Metadata, err)
		}
	}
}

// TestOptimizeReadWrite covers REQ-HD-005.1, REQ-HD-005.6, REQ-HD-005.7, REQ-HD-005.8,
// BR-PRUNE-001, BR-PRUNE-002, BR-PRUNE-003, BR-PRUNE-004, EC-010, EC-011, EC-012, EC-013, EC-053,
// D-10, D-11, D-12 and D-13.
func TestOptimizeReadWrite(t *testing.T) {
	t.Parallel()
	runOptimizeCases(t, []optimizeCase{
		{id: "R-01", entries: conv(read("/w/a"), write("/w/a")), rm: []int{0, 1}, md: [3]int{1, 0, 0}},
		{id: "R-02", entries: conv(write("/w/a"), read("/w/a"))},
		{id: "R-03", entries: conv(read("/w/a"), read("/w/a"), write("/w/a")), rm: []int{0, 1, 2, 3}, md: [3]int{2, 0, 0}},
		{id: "R-04", entries: conv(write("/w/a"), read("/w/a"), write("/w/a"), read("/w/a")), rm: []int{2, 3}, md: [3]int{1, 0, 0}},
		{id: "R-05", entries: conv(read("/w/a"), write("/w/b"))},
		{
			id: "R-07",
			entries: conv(
				A(call("c1", "read_file", "/w/a"), call("c2", "glob", "{}"), call("c3", "read_file", "/w/b")),
				T(res("c1", "read_file", "1"), res("c2", "glob", "2"), res("c3", "read_file", "3")),
				write("/w/a")),
			rep: map[int]string{0: `A{c2:glob, c3:read_file}`, 1: `T{rc2="2", rc3="3"}`},
			md:  [3]int{1, 0, 0},
		},
		{
			id:      "R-08",
			entries: conv(A("let me look", call("c1", "read_file", "/w/a")), T(res("c1", "read_file", "1")), write("/w/a")),
			rm:      []int{1},
			rep:     map[int]string{0: `A{"let me look"}`},
			md:      [3]int{1, 0, 0},
		},
		{
			id:      "R-09 blank text",
			entries: conv(A("  \n", call("c1", "read_file", "/w/a")), T(res("c1", "read_file", "1")), write("/w/a")),
			rm:      []int{0, 1}, md: [3]int{1, 0, 0},
		},
		{
			id:      "R-09 thinking",
			entries: conv(A(&history.Thinking{Thought: "hm"}, call("c1", "read_file", "/w/a")), T(res("c1", "read_file", "1")), write("/w/a")),
			rm:      []int{0, 1}, md: [3]int{1, 0, 0},
		},
		{id: "R-10", entries: conv(A(call("c1", "read_file", "/w/a"), call("c2", "write_file", "/w/a")), T(res("c1", "read_file", "1"), res("c2", "write_file", "2")))},
		{id: "R-10 other order", entries: conv(A(call("c2", "write_file", "/w/a"), call("c1", "read_file", "/w/a")), T(res("c2", "write_file", "2"), res("c1", "read_file", "1")))},
		{
			id:      "D-12 a later write counts",
			entries: conv(A("both", call("c1", "read_file", "/w/a"), call("c2", "write_file", "/w/a")), T(res("c1", "read_file", "1"), res("c2", "write_file", "2")), write("/w/a")),
			rep:     map[int]string{0: `A{"both", c2:write_file}`, 1: `T{rc2="2"}`},
			md:      [3]int{1, 0, 0},
		},
		{id: "R-11", entries: conv(read("/w/a"), A(call("w", "write_file", "/w/a")), T(failed("w", "write_file", "denied")))},
		{
			id: "D-10 one of several answers failed",
			entries: conv(read("/w/a"), A(call("w", "write_file", "/w/a")),
				T(res("w", "write_file", "ok"), failed("w", "write_file", "denied"))),
		},
		{id: "R-12", entries: conv(read("/w/a"), A(call("w", "write_file", "/w/a")))},
		{
			id:      "R-12 answered before an id is used again",
			entries: conv(write("/w/b"), read("/w/a"), A(call("w", "write_file", "/w/a")), A(call("w", "write_file", "/w/c")), T(res("w", "write_file", "ok"))),
		},
		{id: "R-21", entries: conv(A(call("c1", "read_file", "/w/a")), write("/w/a")), rm: []int{0}, md: [3]int{1, 0, 0}},
		{
			id:      "D-16 a call counts once, whatever it was answered",
			entries: conv(A(call("c1", "read_file", "/w/a")), T(res("c1", "read_file", "1"), res("c1", "read_file", "2")), write("/w/a")),
			rm:      []int{0, 1}, md: [3]int{1, 0, 0},
		},
		{id: "R-22", entries: conv(T(res("nobody", "read_file", "1")), write("/w/a"))},
		{
			id: "R-23",
			entries: conv(
				A(call("x", "read_file", "/w/a")), T(res("x", "read_file", "old")),
				A(call("y", "write_file", "/w/a")), T(res("y", "write_file", "ok")),
				A(call("x", "read_file", "/w/a")), T(res("x", "read_file", "new"))),
			rm: []int{0, 1}, md: [3]int{1, 0, 0},
		},
		{
			id:      "R-24",
			entries: conv(A(call("x", "read_file", "/w/a"), call("x", "read_file", "/w/a")), T(res("x", "read_file", "1"), res("x", "read_file", "2")), write("/w/a")),
			rm:      []int{0, 1}, md: [3]int{2, 0, 0},
		},
		{
			id:      "R-25",
			entries: conv(A(call("c1", "read_file", "/w/a")), T("note", res("c1", "read_file", "1")), write("/w/a")),
			rm:      []int{0},
			rep:     map[int]string{1: `T{"note"}`},
			md:      [3]int{1, 0, 0},
		},
		{id: "R-26", entries: conv(A(), read("/w/a"), write("/w/a")), rm: []int{1, 2}, md: [3]int{1, 0, 0}},
		{id: "R-27", entries: conv(ran("run_shell_command", `{"command":"cat /w/a","path":"/w/a"}`, "x"), write("/w/a"))},
		{
			id:      "responses in entries of their own",
			entries: conv(A(call("1", "read_file", "/w/a"), call("2", "read_file", "/w/b")), T(res("1", "read_file", "x")), T(res("2", "read_file", "y")), write("/w/b")),
			rm:      []int{2},
			rep:     map[int]string{0: `A{1:read_file}`},
			md:      [3]int{1, 0, 0},
		},
	})
}

// TestOptimizeEveryReadAndWriteTool covers REQ-HD-005.2 and REQ-HD-005.3: scenario R-06, and calls
// that do not count as a write (D-10).
func TestOptimizeEveryReadAndWriteTool(t *testing.T) {
	t.Parallel()
	for _, reader := range []string{"read_file", "read_line_range", "ast_read_file"} {
		for _, writer := range []string{"write_file", "ast_edit", "replace", "insert_at_line", "delete_line_range"} {
			pair := func(parameters string) []*history.Content {
				return conv(ran(reader, "/w/a", "x"), ran(writer, parameters, "ok"))
			}
			runOptimizeCases(t, []optimizeCase{
				{id: "R-06 " + reader + " " + writer, entries: pair("/w/a"), rm: []int{0, 1}, md: [3]int{1, 0, 0}},
				{id: "D-10 preview " + reader + " " + writer, entries: pair(`{"file_path":"/w/a","preview":true}`)},
				{id: "D-10 dry run " + reader + " " + writer, entries: pair(`{"file_path":"/w/a","dry_run":true}`)},
				{id: "D-10 not forced " + reader + " " + writer, entries: pair(`{"file_path":"/w/a","force":false}`)},
				{id: "D-10 forced " + reader + " " + writer, entries: pair(`{"file_path":"/w/a","force":true,"preview":false}`), rm: []int{0, 1}, md: [3]int{1, 0, 0}},
			})
		}
	}
}

// TestOptimizePaths covers REQ-HD-005.4, REQ-HD-005.5, REQ-HD-005.11, REQ-HD-013.5, BR-PRUNE-005,
// BR-PRUNE-006, EC-016, EC-050, EC-051, EC-052 and D-14.
func TestOptimizePaths(t *testing.T) {
	t.Parallel()
	reading := func(parameters string) []*history.Content { return ran("read_file", parameters, "x") }
	stale := optimizeCase{rm: []int{0, 1}, md: [3]int{1, 0, 0}}
	row := func(id string, want optimizeCase, parts ...any) optimizeCase {
		want.id, want.entries = id, conv(parts...)
		return want
	}
	cases := []optimizeCase{
		row("R-13 relative", stale, read("src/foo.ts"), write("/w/src/foo.ts")),
		row("R-13 dots", stale, read("./src/foo.ts"), write("/w/src/../src/foo.ts")),
		row("R-14", optimizeCase{}, read("/w/A"), write("/w/a")),
		row("R-15", stale, reading(`{"absolute_path":"/w/a"}`), ran("replace", `{"path":"/w/a"}`, "ok")),
		row("R-16", optimizeCase{}, reading(`{"file_path":"/w/b","absolute_path":"/w/a"}`), write("/w/a")),
		row("D-14 empty first key", stale, reading(`{"file_path":"","absolute_path":7,"path":"a"}`), write("/w/a")),
	}
	for _, parameters := range []string{`null`, `"/w/a"`, `[]`, `42`, `{"unrelated":1}`, `{"file_path":""}`, `{"file_path":null}`} {
		cases = append(cases,
			row("R-17 read "+parameters, optimizeCase{}, reading(parameters), write("/w/a"), write("/w")),
			row("R-17 write "+parameters, optimizeCase{}, read("/w/a"), read("/w"), ran("write_file", parameters, "ok")),
			row("R-17 read many "+parameters, optimizeCase{}, ran("read_many_files", parameters, "x"), write("/w/a"), write("/w")))
	}
	runOptimizeCases(t, cases)
}

// A call without its required file is reported for debugging (EC-016).
func TestSkippedCallsAreReported(t *testing.T) {
	t.Parallel()
	entries := conv(H("go"), read("/w/a"), ran("read_file", `{"unrelated":1}`, "x"), ran("grep", "{}", "x"), ran("write_file", "42", "ok"))
	result, err := highDensity{}.Optimize(entries, defaults())
	if err != nil || !slices.Equal(result.Skipped, []int{7, 3}) {
		t.Errorf("skipped %v, %v", result.Skipped, err)
	}
}

// TestOptimizeReadMany covers REQ-HD-005.9, D-15, EC-014 and EC-015.
func TestOptimizeReadMany(t *testing.T) {
	t.Parallel()
	many := func(parameters string) []*history.Content { return ran("read_many_files", parameters, "x") }
	stale := func(id, parameters string, writes ...any) optimizeCase {
		return optimizeCase{id: id, entries: conv(append([]any{many(parameters)}, writes...)...), rm: []int{0, 1}, md: [3]int{1, 0, 0}}
	}
	kept := func(id, parameters string, writes ...any) optimizeCase {
		return optimizeCase{id: id, entries: conv(append([]any{many(parameters)}, writes...)...)}
	}
	runOptimizeCases(t, []optimizeCase{
		stale("R-18", `{"paths":["/w/a","b"]}`, write("/w/a"), write("/w/b")),
		kept("R-19 one written", `{"paths":["/w/a","/w/b"]}`, write("/w/a")),
		kept("R-19 with glob", `{"paths":["/w/a","/w/*.ts"]}`, write("/w/a")),
		kept("R-19 glob", `{"paths":["**/*.ts"]}`, write("/w/a")),
		kept("R-19 none", `{"paths":[]}`, write("/w/a")),
		kept("R-19 string", `{"paths":"/w/a"}`, write("/w/a")),
		kept("R-19 include", `{"paths":["/w/a"],"include":["*.go"]}`, write("/w/a")),
		kept("R-19 include string", `{"paths":["/w/a"],"include":"*.go"}`, write("/w/a")),
		kept("R-19 folder", `{"paths":["/w/a/"]}`, write("/w/a")),
		kept("R-19 braces", `{"paths":["/w/{a,b}"]}`, write("/w/{a,b}")),
		stale("R-19 no include", `{"paths":["/w/a"],"include":[]}`, write("/w/a")),
		stale("R-19 empty include", `{"paths":["/w/a"],"include":""}`, write("/w/a")),
		stale("R-20 not a string", `{"paths":[1,"/w/a"]}`, write("/w/a")),
		stale("R-20 twice", `{"paths":["/w/a","/w/./a"]}`, write("/w/a")),
		{id: "D-12 same entry", entries: conv(
			A(call("1", "read_many_files", `{"paths":["/w/a"]}`), call("2", "write_file", "/w/a")),
			T(res("1", "read_many_files", "x"), res("2", "write_file", "x")))},
	})
}

// A path belongs to the workspace of its entry (D-44).
func TestOptimizeInAnotherWorkspace(t *testing.T) {
	t.Parallel()
	runOptimizeCases(t, []optimizeCase{
		{id: "its own file", entries: elsewhere("/two", conv(), conv(read("a"), write("/two/a"))), rm: []int{0, 1}, md: [3]int{1, 0, 0}},
		{id: "named in full before", entries: elsewhere("/two", conv(read("/two/b")), conv(write("b"))), rm: []int{0, 1}, md: [3]int{1, 0, 0}},
		{id: "an inclusion", entries: elsewhere("/two", conv(H("see", history.NewInclusion("/two/a", "1"))), conv(H(history.NewInclusion("a", "2")))), rep: map[int]string{0: `H{"see"}`}, md: [3]int{0, 1, 0}},
	})
}

// TestOptimizeInclusions covers REQ-HD-006.1, REQ-HD-006.2, REQ-HD-006.3, REQ-HD-006.5,
// BR-DEDUP-001, BR-DEDUP-002, BR-DEDUP-003, BR-DEDUP-004, EC-020, EC-021, EC-022, EC-023, D-18,
// D-19, D-20, D-21. It tests I-14 and I-15 with the block that the @ processor writes.
func TestOptimizeInclusions(t *testing.T) {
	t.Parallel()
	structured := history.NewInclusion
	runOptimizeCases(t, []optimizeCase{
		{id: "I-01", entries: conv(H("x\n"+inc("a", "v1")), A("ok"), H(inc("a", "v2"))), rep: map[int]string{0: `H{"x\n"}`}, md: [3]int{0, 1, 0}},
		{id: "D-46", entries: conv(H(structured("a", "v1")), A("ok"), H(history.NewData(history.SourceCommand, "ran", inc("a", "evil"))), H(&history.Text{Text: inc("a", "evil")}))},
		{id: "I-02", entries: conv(H("p\n"+inc("a", "1")), A("ok"), H("q\n"+inc("a", "2")), A("ok"), H(inc("a", "3"))), rep: map[int]string{0: `H{"p\n"}`, 2: `H{"q\n"}`}, md: [3]int{0, 2, 0}},
		{id: "I-03", entries: conv(H("Fix this:\n"+inc("a", "1")+"thanks"), H(inc("a", "2"))), rep: map[int]string{0: `H{"Fix this:\nthanks"}`}, md: [3]int{0, 1, 0}},
		{id: "I-04", entries: conv(H("x\n"+inc("a", "1")), H(inc("/w/a", "2"))), rep: map[int]string{0: `H{"x\n"}`}, md: [3]int{0, 1, 0}},
		{id: "I-05", entries: conv(H(inc("a", "1") + "mid\n" + inc("a", "2"))), rep: map[int]string{0: "H{" + quoted("mid\n"+inc("a", "2")) + "}"}, md: [3]int{0, 1, 0}},
		{
			id:      "I-06",
			entries: conv(H(inc("a", "1")+inc("b", "1")+inc("a", "1b")), H(inc("b", "2")+inc("a", "2"))),
			rep:     map[int]string{0: `H{"[a, b: included again later]"}`}, md: [3]int{0, 3, 0},
		},
		{id: "I-07 opener", entries: conv(H("--- a ---\nx"), H(inc("a", "2")))},
		{id: "I-07 closer", entries: conv(H("x\n--- End of content ---\n"), H(inc("a", "2")))},
		{id: "I-08", entries: conv(A(inc("a", "1")), H(inc("a", "2")))},
		{id: "I-09", entries: conv(H(inc("a", "1")), H(inc("a", "2"))), rep: map[int]string{0: `H{"[a: included again later]"}`}, md: [3]int{0, 1, 0}},
		{id: "I-09 blank around", entries: conv(H("\n", inc("a", "1")+" \n"), H(inc("a", "2"))), rep: map[int]string{0: `H{"\n", " \n[a: included again later]"}`}, md: [3]int{0, 1, 0}},
		{id: "I-10", entries: conv(H("--- a ---\nx\n"+inc("b", "y")), H(inc("a", "2")), H(inc("b", "2"))), rep: map[int]string{0: `H{"--- a ---\nx\n"}`}, md: [3]int{0, 1, 0}},
		{
			id:      "I-11",
			entries: conv(H("see", structured("a", "x\n--- End of content ---\nleak\n--- b ---\ny")), H(structured("a", "2")), H(structured("b", "2"))),
			rep:     map[int]string{0: `H{"see"}`}, md: [3]int{0, 1, 0},
		},
		{id: "I-12", entries: conv(H("", structured("a", "1"), structured("a", "2"))), rep: map[int]string{0: "H{" + `"", ` + quoted(structured("a", "2").Text) + "}"}, md: [3]int{0, 1, 0}},
		{id: "I-13", entries: conv(H("p\n\n\n\n\n"+inc("a", "1")+"\n\n\n\nq"), H(inc("a", "2"))), rep: map[int]string{0: `H{"p\n\n\n\n\n\n\n\n\nq"}`}, md: [3]int{0, 1, 0}},
		{id: "I-14", entries: conv(H("look @a", structured("a", "1")), A("ok"), H("look @a", structured("a", "1"))), rep: map[int]string{0: `H{"look @a"}`}, md: [3]int{0, 1, 0}},
		{id: "I-15", entries: conv(H("@a", structured("a", "1")), A("ok"), H("@b", structured("b", "1")))},
		{id: "structured and text are one file", entries: conv(H("see", structured("a", "1")), H(inc("./a", "2"))), rep: map[int]string{0: `H{"see"}`}, md: [3]int{0, 1, 0}},
		{id: "a path with spaces", entries: conv(H("see\n"+inc("my file", "1")), H(structured("my file", "2"))), rep: map[int]string{0: `H{"see\n"}`}, md: [3]int{0, 1, 0}},
		{id: "CRLF", entries: conv(H("see\r\n--- a ---\r\nx\r\n--- End of content ---\r\nrest"), H(inc("a", "2"))), rep: map[int]string{0: `H{"see\r\nrest"}`}, md: [3]int{0, 1, 0}},
		{id: "REQ-HD-006.5 markers that would pair up after a cut", entries: conv(H("--- a ---\n"+inc("b", "y")+"z\n--- End of content ---\n"), H(inc("a", "2")+inc("b", "2")))},
		{id: "a message with media keeps no stub", entries: conv(H(&history.Media{MimeType: "image/png"}, structured("a", "1")), H(inc("a", "2"))), rep: map[int]string{0: `H{media}`}, md: [3]int{0, 1, 0}},
	})
}

func quoted(s string) string { return strings.TrimSuffix(strings.TrimPrefix(show(H(s)), "H{"), "}") }

// TestOptimizeRecency covers REQ-HD-007.1, REQ-HD-007.2, REQ-HD-007.3, BR-RECENCY-001,
// BR-RECENCY-002, BR-RECENCY-003, BR-RECENCY-004, BR-RECENCY-005, BR-CONFLICT-002, BR-CONFLICT-003,
// BR-CONFLICT-004, BR-CONFLICT-005, REQ-HD-013.6, EC-030, EC-031, EC-032, EC-040, EC-041, D-03 and
// D-22.
func TestOptimizeRecency(t *testing.T) {
	t.Parallel()
	pairs := func(tool string, ids ...string) []*history.Content {
		var entries []*history.Content
		for _, id := range ids {
			entries = append(entries, A(call(id, tool, "{}")), T(res(id, tool, long("out "+id))))
		}
		return entries
	}
	pointer := func(id string) string { return `T{r` + id + `="` + PrunedPlaceholder + `"}` }
	fourGreps := conv(
		A(call("1", "grep", "{}"), call("2", "grep", "{}"), call("3", "grep", "{}"), call("4", "grep", "{}")),
		T(res("1", "grep", long("a")), res("2", "grep", "b"), res("3", "grep", "c"), res("4", "grep", "d")))
	pointers := pairs("grep", "1", "2", "3", "4")
	for _, i := range []int{1, 3} {
		response := pointers[i].Blocks[0].(*history.ToolResponse)
		pointers[i] = T(response.WithResult(PrunedPlaceholder))
	}
	runOptimizeCases(t, []optimizeCase{
		{id: "C-01", config: with(recency(3)), entries: pairs("run_shell_command", "1", "2", "3", "4", "5"), rep: map[int]string{1: pointer("1"), 3: pointer("2")}, md: [3]int{0, 0, 2}},
		{id: "C-02", config: with(recency(3)), entries: pairs("grep", "1", "2")},
		{
			id: "C-03", config: with(recency(3)),
			entries: conv(pairs("glob", "g1"), pairs("grep", "r1"), pairs("glob", "g2"), pairs("grep", "r2"), pairs("glob", "g3"), pairs("grep", "r3"), pairs("glob", "g4"), pairs("grep", "r4")),
			rep:     map[int]string{1: pointer("g1"), 3: pointer("r1")}, md: [3]int{0, 0, 2},
		},
		{id: "C-04 zero", config: with(recency(0)), entries: pairs("grep", "1", "2", "3"), rep: map[int]string{1: pointer("1"), 3: pointer("2")}, md: [3]int{0, 0, 2}},
		{id: "C-04 negative", config: with(recency(-5)), entries: pairs("grep", "1", "2", "3"), rep: map[int]string{1: pointer("1"), 3: pointer("2")}, md: [3]int{0, 0, 2}},
		{id: "C-05 D-120 not seen yet", config: with(recency(3)), entries: fourGreps},
		{id: "C-05b seen", config: with(recency(3)), entries: conv(fourGreps, A("I see")), rep: map[int]string{1: `T{r1="` + PrunedPlaceholder + `", r2="b", r3="c", r4="d"}`}, md: [3]int{0, 0, 1}},
		{id: "C-06", config: with(recency(2)), entries: pointers},
		{
			id: "C-07", config: with(recency(2)),
			entries: conv(A(call("1", "read_file", "f1")), T(res("1", "read_file", long("x"))), read("f2"), read("f3"), read("f4"), write("f4")),
			rm:      []int{6, 7},
			rep:     map[int]string{1: pointer("1")},
			md:      [3]int{1, 0, 1},
		},
		{
			id: "C-08", config: with(recency(1)),
			entries: conv(
				A(call("1", "read_file", "/w/a"), call("2", "grep", "{}")), T(res("1", "read_file", "r"), res("2", "grep", long("g1"))),
				A(call("3", "grep", "{}")), T(res("3", "grep", "g2")), write("/w/a")),
			rep: map[int]string{0: `A{2:grep}`, 1: pointer("2")},
			md:  [3]int{1, 0, 1},
		},
		{
			id: "C-09", config: with(recency(1)),
			entries: conv(A(call("1", "grep", "{}")), T(failed("1", "grep", "no such folder")), pairs("grep", "2")),
			rep:     map[int]string{1: `T{r1="` + PrunedPlaceholder + `"!no such folder}`}, md: [3]int{0, 0, 1},
		},
		{
			id: "EC-032 one id, three responses", config: with(recency(1)),
			entries: conv(A(call("1", "grep", "{}")), T(res("1", "grep", long("x")), res("1", "grep", long("y"))), T(res("1", "grep", "z")), A("ok")),
			rep:     map[int]string{1: `T{r1="` + PrunedPlaceholder + `", r1="` + PrunedPlaceholder + `"}`}, md: [3]int{0, 0, 2},
		},
		{id: "BR-CONFLICT-004 a removed response is not counted", config: with(recency(1)), entries: conv(read("/w/x"), read("/w/a"), write("/w/a")), rm: []int{2, 3}, md: [3]int{1, 0, 0}},
	})
}

// TestRecencyKeepsStructure covers scenario C-10 of REQ-HD-007.3. Only the result differs.
func TestRecencyKeepsStructure(t *testing.T) {
	t.Parallel()
	if PrunedPlaceholder != "[Result pruned — re-run tool to retrieve]" {
		t.Errorf("REQ-HD-007.2: the pointer is %q", PrunedPlaceholder)
	}
	one := 1
	old := &history.ToolResponse{CallID: "1", ToolName: "grep", Result: history.TextResult(long("x")), Error: "e", ExitCode: &one}
	entry := T(old).WithMeta("k", "v")
	result, err := highDensity{}.Optimize(conv(A(call("1", "grep", "{}")), entry, ran("grep", "{}", "y")), recency(1))
	if err != nil {
		t.Fatal(err)
	}
	got := asJSON(t, result.Replacements[1])
	if want := asJSON(t, T(old.WithResult(PrunedPlaceholder)).WithMeta("k", "v")); got != want {
		t.Errorf("C-10: got %s\nwant %s", got, want)
	}
}

// A prune explains to the user the removed content, the reason, and the blocks.
func TestPrunesExplainTheResult(t *testing.T) {
	t.Parallel()
	entries := conv(
		H("see\n"+inc("a.go", "1")), // 0
		read("src/a.go"),            // 1, 2
		ran("read_many_files", `{"paths":["src/a.go","src/b.go"]}`, "x"), // 3, 4
		ran("grep", `{"pattern":"TODO"}`, long("old")),                   // 5, 6
		conv(A(call("e", "replace", "/w/src/a.go"), call("f", "ast_edit", "/w/src/a.go")), T(res("e", "replace", "ok"), res("f", "ast_edit", "ok"))), // 7, 8
		write("src/b.go"),                         // 9, 10
		ran("grep", `{"pattern":"FIXME"}`, "new"), // 11, 12
		H(inc("a.go", "2")),                       // 13
	)
	result, err := highDensity{}.Optimize(entries, recency(1))
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Kind            history.PruneKind
		Subject, Reason string
		Entry           int
		Gone, Left      string
	}
	var got []line
	for _, p := range result.Prunes {
		got = append(got, line{p.Kind, p.Subject, p.Reason, p.Entry, show(history.New("x", p.Gone...)), show(history.New("x", p.Left...))})
	}
	id := func(i int) string { return entries[i].Calls()[0].ID }
	want := []line{
		{"stale-read", "src/a.go", "written later by ast_edit", 1, "X{" + id(1) + ":read_file, r" + id(1) + `="content of src/a.go"}`, "X{}"},
		{"stale-read", "src/a.go, src/b.go", "written later by write_file", 3, "X{" + id(3) + ":read_many_files, r" + id(3) + `="x"}`, "X{}"},
		{"duplicate-file", "a.go", "included again later", 0, "X{" + quoted(inc("a.go", "1")) + "}", "X{}"},
		{"old-result", "grep: TODO", "older than the newest 1 grep results", 6, "X{r" + id(5) + `="` + long("old") + `"}`, "X{r" + id(5) + `="` + PrunedPlaceholder + `"}`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prunes (-want +got):\n%s", diff)
	}
	if got := slices.Sorted(maps.Keys(result.Replacements)); !slices.Equal(got, []int{0, 6}) {
		t.Errorf("replaced %v", got)
	}
}

// If a message has only inclusions, the line that replaces it is in the ledger too. It is one line,
// however many files it names (D-21).
func TestStubOfAMessage(t *testing.T) {
	t.Parallel()
	var first, again []any
	for i := range 40 {
		file := inc(strings.Repeat("folder/", 3)+strconv.Itoa(i)+".go", "x")
		first, again = append(first, file), append(again, file)
	}
	entries := conv(H(first...), H(again...))
	result, err := highDensity{}.Optimize(entries, defaults())
	if err != nil || len(result.Prunes) != 40 {
		t.Fatalf("%d prunes, %v", len(result.Prunes), err)
	}
	var left []history.Block
	for _, p := range result.Prunes {
		left = append(left, p.Left...)
	}
	if got := result.Replacements[0].Blocks; !slices.Equal(got, left) || len(got) != 1 {
		t.Errorf("the ledger has %d blocks left, the message %d", len(left), len(got))
	}
	text := result.Replacements[0].Text()
	if !strings.HasPrefix(text, "[folder/folder/folder/0.go, ") || !strings.HasSuffix(text, "…: included again later]") || utf8.RuneCountInString(text) != 160+len("[: included again later]") {
		t.Errorf("the stub is %q, %d characters", text, utf8.RuneCountInString(text))
	}
}

// Allocations are proportional to the changes. Without changes, a long history of the same files
// needs no more than a short one.
func TestOptimizeAllocatesLittle(t *testing.T) {
	allocations := func(rounds int) float64 {
		entries := conv(H("task"))
		for i := range rounds {
			file := "/w/src/" + string(rune('a'+i%20))
			entries = append(entries, conv(write(file), ran("grep", "{}", "x"), A("ok"))...)
		}
		return testing.AllocsPerRun(5, func() {
			if result, err := (highDensity{}).Optimize(entries, defaults()); err != nil || !result.Empty() {
				t.Errorf("%v, %v", result, err)
			}
		})
	}
	if short, long := allocations(40), allocations(4000); long > short+5 {
		t.Errorf("%v allocations for 40 rounds, %v for 4000", short, long)
	}
}
