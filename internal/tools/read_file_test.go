package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/fifo"
	"agent/internal/testing/require"
	"agent/internal/text/textfile"
)

func numberedLines(from, to int) string {
	var out strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&out, "line %d\n", i)
	}
	return out.String()
}

func TestReadFileNamesTheShownPart(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{
		"ten":   numberedLines(1, 10),
		"crlf":  textfile.ByteOrderMark + "a\r\nb\r\n",
		"empty": "",
		"mark":  textfile.ByteOrderMark,
	}).with(Limits{OutputTokens: 1000, ReadLines: 5})
	for _, c := range []struct {
		args params
		want string
	}{
		{params{"file_path": "ten"}, "[lines 1-5 of 10; read on with offset 6]\n" + numberedLines(1, 5)},
		{params{"file_path": "ten", "offset": 6}, "[lines 6-10 of 10]\n" + numberedLines(6, 10)},
		{params{"file_path": "ten", "offset": 3, "limit": 2}, "[lines 3-4 of 10; read on with offset 5]\n" + numberedLines(3, 4)},
		{params{"file_path": "ten", "limit": 100}, "[lines 1-5 of 10; read on with offset 6]\n" + numberedLines(1, 5)},
		{params{"file_path": "crlf"}, "a\nb\n"},
		{params{"file_path": "empty"}, "[empty is empty]"},
		{params{"file_path": "mark"}, "[mark is empty]"},
	} {
		wantResult(t, call(t, env, readFile(), c.args), c.want)
	}
	mustRefuse(t, env, readFile(), params{"file_path": "ten", "offset": 11}, "line 11 is past the end", "10 lines")
	mustRefuse(t, env, readFile(), params{"file_path": "ten", "offset": -1}, "must be at least 1")
}

// The model can read the manual of the program by a path. There is no such file, and no approval is
// required.
func TestReadFileReadsTheManual(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{}).with(Limits{OutputTokens: 1000, ReadLines: 5})
	mustRefuse(t, env, readFile(), params{"file_path": "agent-docs:undo"}, "the documentation of agent is not available")
	env.Manual = func(words string) (string, bool) { return "# About " + words + "\ntext\n", words == "undo" }
	wantResult(t, call(t, env, readFile(), params{"file_path": "agent-docs:undo"}), "# About undo\ntext\n")
	mustRefuse(t, env, readFile(), params{"file_path": "agent-docs:zzz"}, `nothing found for "zzz"`)
}

func TestReadLineRangeNumbersTheLines(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f": numberedLines(1, 8) + "\tnine\nten", "empty": ""}).with(Limits{OutputTokens: 1000, ReadLines: 5})
	for _, c := range []struct {
		start, end int
		want       string
	}{
		{9, 10, "[lines 9-10 of 10]\n 9|\tnine\n10|ten\n"},
		{9, 99, "[lines 9-10 of 10]\n 9|\tnine\n10|ten\n"},
		{1, 1, "[lines 1-1 of 10]\n1|line 1\n"},
		{1, 9, "[lines 1-5 of 10; read on with start_line 6]\n1|line 1\n2|line 2\n3|line 3\n4|line 4\n5|line 5\n"},
	} {
		wantResult(t, call(t, env, readLineRange(), params{"file_path": "f", "start_line": c.start, "end_line": c.end}), c.want)
	}
	wantResult(t, call(t, env, readLineRange(), params{"file_path": "empty", "start_line": 1, "end_line": 3}), "[empty is empty]")
	mustRefuse(t, env, readLineRange(), params{"file_path": "f", "start_line": 3, "end_line": 2}, "not a valid range")
	mustRefuse(t, env, readLineRange(), params{"file_path": "f", "start_line": 0, "end_line": 2}, "not a valid range")
	mustRefuse(t, env, readLineRange(), params{"file_path": "f", "start_line": 11, "end_line": 12}, "past the end")
}

func TestReadIsBoundedInSizeAndLongLinesAreCut(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{
		"long":  strings.Repeat("é", 5000) + "\nnext\n",
		"many":  numberedLines(1, 1000),
		"large": strings.Repeat("x", 3<<20),
	}).with(Limits{OutputTokens: 1100, ReadLines: 2000})
	answer := mustRun(t, env, readFile(), params{"file_path": "long"})
	if want := strings.Repeat("é", textfile.MaxLineBytes/2) + "… [cut: the line has 10000 bytes; read on with offset 1 and column 2001]\nnext\n"; answer.ModelText() != want {
		t.Errorf("got %q", answer.ModelText())
	}
	answer = mustRun(t, env, readFile(), params{"file_path": "many"})
	if len(answer.ModelText()) > 4400+100 || !strings.Contains(answer.ModelText(), "of 1000; read on with offset ") {
		t.Errorf("%d bytes: %.80q", len(answer.ModelText()), answer.ModelText())
	}
	if answer = mustRun(t, env, readFile(), params{"file_path": "large"}); len(answer.ModelText()) > textfile.MaxLineBytes+100 {
		t.Errorf("%d bytes", len(answer.ModelText()))
	}
}

func TestHugeFileIsReadByLinesAndNotHeld(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"huge": numberedLines(1, 1000)})
	path := filepath.Join(env.Workspace.Root(), "huge")
	// A sparse file: a gigabyte that uses no disk space.
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	before := peakMemory()
	answer := mustRun(t, env, readLineRange(), params{"file_path": "huge", "start_line": 900, "end_line": 901})
	wantResult(t, answer, "[lines 900-901 of a file of 1.0 GiB]\n900|line 900\n901|line 901\n")
	if grown := peakMemory() - before; grown > 200<<10 {
		t.Errorf("reading two lines took %d KiB", grown)
	}
	if answer := call(t, env, astReadFile(), params{"file_path": "huge"}); !strings.Contains(answer.Error, "too large for an outline (1.0 GiB)") {
		t.Errorf("got %q", answer.Error)
	}
}

func TestHugeFileCannotBeEdited(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"huge": strings.Repeat("a\n", maxWholeBytes/2+1)})
	raw := params{"file_path": "huge", "old_string": "a", "new_string": "b"}
	if answer := call(t, env, replace(), raw); !strings.Contains(answer.Error, "too large to edit (16.0 MiB") {
		t.Errorf("got %q", answer.Error)
	}
}

// A UTF-16 file with a byte order mark is read and edited like any text, and stays UTF-16.
func TestUTF16IsReadAndKept(t *testing.T) {
	t.Parallel()
	wide := func(text string) string { return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00" }
	env := fileEnv(t, map[string]string{"w.txt": wide("one\r\ntwo\r\n")})
	if answer := mustRun(t, env, readFile(), params{"file_path": "w.txt"}); answer.ModelText() != "one\ntwo\n" {
		t.Errorf("read as %q", answer.ModelText())
	}
	mustRun(t, env, replace(), params{"file_path": "w.txt", "old_string": "two", "new_string": "2\nthree"})
	if got := content(t, filepath.Join(env.Workspace.Root(), "w.txt")); got != wide("one\r\n2\r\nthree\r\n") {
		t.Errorf("edited to %q", got)
	}
	mustRun(t, env, writeFile(), params{"file_path": "w.txt", "content": "new\n"})
	if got := content(t, filepath.Join(env.Workspace.Root(), "w.txt")); got != wide("new\r\n") {
		t.Errorf("rewritten to %q", got)
	}
}

func TestBinaryFilesAreNamed(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	env := fileEnv(t, map[string]string{
		"picture.png": png, "a.pdf": "%PDF-1.7 text", "data": "a\x00b", "noise": strings.Repeat("\xfe\xa0b", 50), "wide": "\xff\xfea\x00\x00\xd8",
		"dir/x": "", "BM.txt": "BM is no picture", "latin": "caf\xe9 au lait, d\xe9j\xe0 vu\n", "svg.svg": "<svg></svg>",
	})
	pipe := filepath.Join(env.Workspace.Root(), "zpipe")
	if err := fifo.Make(t, pipe); err != nil {
		t.Fatal(err)
	}
	for path, words := range map[string][]string{
		"picture.png": {"image/png", "16 bytes", "@"},
		"a.pdf":       {"application/pdf"},
		"data":        {"binary data", "3 bytes"},
		"noise":       {"binary"},
		"wide":        {"UTF-16", "iconv"},
		"dir":         {"dir is a folder", "glob or ls"},
		"zpipe":       {"not a regular file"},
		"../x":        {"outside the workspace"},
		"dir/x/y":     {"not a directory"},
	} {
		mustRefuse(t, env, readFile(), params{"file_path": path}, words...)
		mustRefuse(t, env, replace(), params{"file_path": path, "old_string": "a", "new_string": "b"}, words...)
	}
	wantResult(t, call(t, env, readFile(), params{"file_path": "BM.txt"}), "BM is no picture\n")
	wantResult(t, call(t, env, readFile(), params{"file_path": "svg.svg"}), "<svg></svg>\n")
	if answer := mustRun(t, env, readFile(), params{"file_path": "latin"}); answer.Text != "caf\uFFFD au lait, d\uFFFDj\uFFFD vu\n" {
		t.Errorf("latin: %+v", answer)
	}
}

func TestMissingFileOffersTheNearest(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"internal/chat/turn.go": "", "internal/chat/turns.md": "", "README.md": "", "config.json": ""})
	for path, words := range map[string][]string{
		"turn.go":                {"turn.go does not exist", "did you mean internal/chat/turn.go"},
		"internal/chat/trun.go":  {"internal/chat/turn.go"},
		"readme.mdx":             {"README.md"},
		"internal/tools/turn.go": {"internal/chat/turn.go"},
		"conf.json":              {"config.json"},
	} {
		mustRefuse(t, env, readFile(), params{"file_path": path}, words...)
	}
	if message := mustRefuse(t, env, readFile(), params{"file_path": "zzz/unlike.anything"}); strings.Contains(message, "did you mean") {
		t.Error(message)
	}
}

func TestUnreadableFileIsReported(t *testing.T) {
	require.Permissions(t)
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read any file")
	}
	env := fileEnv(t, map[string]string{"a": "x"})
	if err := os.Chmod(filepath.Join(env.Workspace.Root(), "a"), 0); err != nil {
		t.Fatal(err)
	}
	if answer := call(t, env, readFile(), params{"file_path": "a"}); !strings.Contains(answer.Error, "cannot read a: permission denied") {
		t.Errorf("got %q", answer.Error)
	}
}
