package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// least is the smallest limit of an answer, in tokens (D-41).
const least = 500

var goOn = regexp.MustCompile(`offset (\d+)(?: and column (\d+))?`)

// readToTheEnd reads a file page by page. It follows the hints in the answers of read_file until
// there are no more.
func readToTheEnd(t *testing.T, env *Env, file string) (text string, calls int) {
	t.Helper()
	var whole strings.Builder
	for args := (params{"file_path": file}); ; calls++ {
		if calls > 5000 {
			t.Fatalf("no end: %v", args)
		}
		answer := mustRun(t, env, readFile(), args)
		if size := len(answer.ModelText()); size > env.Limits.OutputBytes() {
			t.Fatalf("%v answers with %d bytes", args, size)
		}
		heading, body, partly := strings.Cut(answer.Text, "]\n")
		if !partly || !strings.HasPrefix(heading, "[lines ") {
			return whole.String() + answer.Text, calls
		}
		next := goOn.FindStringSubmatch(heading)
		inside := next != nil && next[2] != ""
		if inside {
			// The final line break belongs to the page and not to the text.
			body = strings.TrimSuffix(body, "\n")
		}
		whole.WriteString(body)
		if next == nil {
			return whole.String(), calls
		}
		args = params{"file_path": file, "offset": next[1]}
		if inside {
			args["column"] = next[2]
		}
	}
}

func TestD41_AFileOfAnySizeIsReadPieceByPiece(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"lines":     numberedLines(1, 10_000),
		"one line":  strings.Repeat("0123456789", 16_000) + "\n",
		"wide line": "short\n" + strings.Repeat("日本", 20_000) + "\n",
	} {
		for _, tokens := range []int{least, 4000, 16000} {
			t.Run(fmt.Sprintf("%s in %d", name, tokens), func(t *testing.T) {
				t.Parallel()
				env := fileEnv(t, map[string]string{"f": content}).with(Limits{OutputTokens: tokens, ReadLines: 2000})
				got, calls := readToTheEnd(t, env, "f")
				if got != content {
					t.Errorf("%d of %d bytes in %d calls", len(got), len(content), calls)
				}
			})
		}
	}
}

// A file that is too large for memory is read in the same way.
func TestD41_HugeFile(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"f": numberedLines(1, 10) + strings.Repeat("x", maxWholeBytes) + "\nlast\n"})
	answer := mustRun(t, env, readFile(), params{"file_path": "f", "offset": 11, "column": maxWholeBytes - 4})
	wantResult(t, answer, "[lines 11-12 of 12, from column 16777212 of line 11 on]\nxxxxx\nlast\n")
	mustRefuse(t, env, readFile(), params{"file_path": "f", "offset": 11, "column": maxWholeBytes + 1}, "column 16777217 is past the end of line 11, which has 16777216 bytes")
}

// For any arguments, the answer of a tool is within the limit and explains how to continue.
func TestD41_EveryAnswerIsBounded(t *testing.T) {
	t.Parallel()
	files, folder := map[string]string{"long": strings.Repeat("word ", 100_000), "f.go": "package f\n", "near": numberedLines(1, 3000)}, []string{}
	for i := range 300 {
		folder = append(folder, fmt.Sprintf("folder/a-file-with-quite-a-long-name-%03d.txt", i))
		files["f.go"] += fmt.Sprintf("\nfunc F%d() {\n\tprintln(%d)\n}\n", i, i)
	}
	files["f.go"] += "\nfunc Long() {\n" + strings.Repeat("\tprintln()\n", 2000) + "}\n"
	old := strings.Repeat("line 17 of another file\n", 200)
	for _, c := range []struct {
		tool  Tool
		args  params
		words string
	}{
		{readFile(), params{"file_path": "near"}, "read on with offset "},
		{readFile(), params{"file_path": "long"}, "read on with offset 1 and column "},
		{readLineRange(), params{"file_path": "near", "start_line": 1, "end_line": 3000}, "read on with start_line "},
		{readManyFiles(), params{"paths": []string{"folder", "long", "near"}}, "more files did not fit; read them in the next call: "},
		{readManyFiles(), params{"paths": []string{"near", "long"}}, "read_file reads on with offset "},
		{readManyFiles(), params{"paths": slices.Repeat([]string{"no/such/file/anywhere"}, 100)}, ""},
		{astReadFile(), params{"file_path": "f.go"}, "to read one, give its name as symbol"},
		{astReadFile(), params{"file_path": "f.go", "symbol": "Long"}, "read_file reads on with offset "},
		{astReadFile(), params{"file_path": "f.go", "symbol": "F"}, ""},
		{searchFileContent(), params{"pattern": "line", "max_results": 2000}, "continue with offset "},
		{glob(), params{"pattern": "**"}, "continue with offset "},
		{listDirectory(), params{"path": "folder"}, "continue with offset "},
		{replace(), params{"file_path": "near", "old_string": old, "new_string": "x"}, ""},
		{writeFile(), params{"file_path": "near", "content": strings.ReplaceAll(numberedLines(1, 3000), "line", "row")}, ""},
		{runShellCommand(), params{"command": "seq 100000; exit 3"}, "the whole output is in "},
		{runShellCommand(), params{"command": "sleep 10 & yes x | tr -d '\\n' | head -c 3000000"}, "the whole output is in "},
	} {
		t.Run(c.tool.Name, func(t *testing.T) {
			t.Parallel()
			env := shellEnv(t)
			for name, content := range files {
				writeTestFile(t, env.Workspace.Root(), name, content)
			}
			if slices.Contains([]string{"read_many_files", "search_file_content", "glob", "list_directory"}, c.tool.Name) {
				root := env.Workspace.Root()
				writeTestFile(t, root, folder[0], numberedLines(1, 50))
				for _, name := range folder[1:] {
					if err := os.Link(filepath.Join(root, folder[0]), filepath.Join(root, name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			env.Seen, env.Limits = NewSeenFiles(), Limits{OutputTokens: 16_000, ReadLines: 2000, ShellTimeoutSeconds: 60}
			see(t, env, "near")
			env.Limits.OutputTokens = least
			answer := runTool(t.Context(), t, c.tool, env, c.args)
			if size := len(answer.ModelText()) + len(answer.Error); size > env.Limits.OutputBytes() || size == 0 {
				t.Errorf("%d bytes for %d:\n%s\n%s", size, env.Limits.OutputBytes(), answer.ModelText(), answer.Error)
			}
			if !strings.Contains(answer.Text, c.words) {
				t.Errorf("does not say %q:\n%s\n%s", c.words, answer.Text, answer.Error)
			}
		})
	}
}

// Following the hints in the answers leads to all results.
func TestD41_ListsArePaged(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 250 {
		files[fmt.Sprintf("folder/%03d.txt", i)] = "the same line\n"
	}
	env := fileEnv(t, files).with(Limits{OutputTokens: least})
	for _, c := range []struct {
		tool Tool
		args params
		each string
	}{
		{searchFileContent(), params{"pattern": "same", "max_results": 70}, ": the same line"},
		{glob(), params{"pattern": "folder/*"}, ".txt"},
		{listDirectory(), params{"path": "folder"}, " bytes)"},
	} {
		seen := map[string]bool{}
		for calls := 0; ; calls++ {
			answer := mustRun(t, env, c.tool, c.args)
			for line := range strings.Lines(answer.Text) {
				if strings.Contains(line, c.each) {
					seen[strings.TrimSpace(line)] = true
				}
			}
			next := goOn.FindStringSubmatch(answer.Text)
			if next == nil || calls > 50 {
				break
			}
			c.args["offset"] = next[1]
		}
		if len(seen) != 250 {
			t.Errorf("%s shows %d of 250", c.tool.Name, len(seen))
		}
		c.args["offset"] = 251
		mustRefuse(t, env, c.tool, c.args, "offset 251 is past the end")
	}
}

// The answer of a tool without its own limit is limited too.
func TestD41_AnswersOfAnySizeAreBounded(t *testing.T) {
	t.Parallel()
	limits := Limits{OutputTokens: 1000}
	for name, answer := range map[string]Answer{
		"a text":           {Text: strings.Repeat("a line\n", 10_000)},
		"one line":         {Text: strings.Repeat("x", 100_000)},
		"an error":         {Error: strings.Repeat("x", 100_000)},
		"both, and a note": {Text: strings.Repeat("a line\n", 10_000), Error: strings.Repeat("x", 100_000), Note: "a note"},
	} {
		bounded := limits.bound(answer)
		if size := len(bounded.Text) + len(bounded.Error) + len(bounded.Note); size > limits.OutputBytes() || size < limits.OutputBytes()/3 {
			t.Errorf("%s: %d bytes, at most %d are to be had", name, size, limits.OutputBytes())
		}
	}
}
