package cmdline

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// argv shows a parsed command as "word|word ; word".
func argv(parsed Line) string {
	var parts []string
	for _, simple := range parsed.Commands {
		parts = append(parts, strings.Join(texts(simple), "|"))
	}
	return strings.Join(parts, " ; ")
}

func texts(simple Command) []string {
	var words []string
	for _, word := range simple {
		words = append(words, word.Text)
	}
	return words
}

func TestParseTakesPlainLinesApart(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test ./...":                   "go|test|./...",
		"a && b || c ; d | e |& f":        "a ; b ; c ; d ; e ; f",
		"ls\nrm x":                        "ls ; rm|x",
		"ls\ta":                           "ls|a",
		"! grep -q x y":                   "grep|-q|x|y",
		"'r'm -r\"f\" x":                  "rm|-rf|x",
		`\rm x`:                           "rm|x",
		`a\ b 'c d' "e \"f\" \$g \h"`:     `a b|c d|e "f" $g \h`,
		"a b \\\n  c && \\\n d":           "a|b|c ; d",
		"ls 2>&1 >/dev/null </dev/null":   "ls",
		"ls &>/dev/null":                  "ls",
		"ls 2>>/dev/null | wc 1>&2":       "ls ; wc",
		"ls internal/*.go a?":             "ls|internal/*.go|a?",
		"find . -name '*.go' -o -name {}": "find|.|-name|*.go|-o|-name|{}",
		"echo '$(rm x)' '`rm x`'":         "echo|$(rm x)|`rm x`",
		"git log HEAD~3":                  "git|log|HEAD~3",
		"echo größe 你好":                   "echo|größe|你好",
		"echo ''":                         "echo|",
	} {
		parsed, err := Read(line).PlainCommands()
		if err != nil {
			t.Errorf("Read(%q).Plain(): %v", line, err)
			continue
		}
		if got := argv(parsed); got != want {
			t.Errorf("Read(%q).Plain() = %q, want %q", line, got, want)
		}
	}
}

func TestParseRefusesWhatIsNotPlain(t *testing.T) {
	t.Parallel()
	for more, plain := range map[string]bool{"": true, "x": false} {
		if _, err := Read("ls " + strings.Repeat("x", maxLine-len("ls ")) + more).PlainCommands(); (err == nil) != plain {
			t.Errorf("a line of %d bytes more than the longest: %v", len(more), err)
		}
	}
	for _, line := range []string{
		"", "  ", "# only a comment", "ls # x", "ls #\\\nrm x", "ls; # x\nrm x",
		"cat $\\\nHOME", "a\\\nb", "cat a$", "l\\\ns", "\\\nls",
		"ls $(rm x)", "ls `rm x`", "ls $HOME", `ls "$HOME"`, "ls ${x:=y}", "ls $((1+1))", "ls <(rm x)",
		"ls > f", "ls >> f", "ls 2> f", "ls &> f", "ls >| f", "ls <> f", "ls < f", "ls >& f", "ls 3>&1", "ls {fd}>/dev/null",
		"cat <<x\na\nx", "cat <<< a", "> /dev/null",
		"(rm x)", "{ rm x; }", "if true; then rm x; fi", "for a in b; do rm x; done", "while true; do :; done",
		"case a in a) rm x;; esac", "f() { rm x; }", "function ls { rm x; }", "[[ -f x ]]", "((1))", "let x=1",
		"time rm x", "coproc rm x", "export A=b", "declare a=b", "local x",
		"rm x &", "ls & rm x", "PATH=. ls", "A=b", "X=1 env cmd",
		"{rm,-rf,x}", "ls {a,b}", "ls a{1..3}", "ls ~", "ls ~root", "ls a=~/b", "ls a:~/b", "ls [ab]", "ls a[b]",
		`ls \`, "x y'\n'\\", `ls a\\\`, "ls {", "ls }", `ls {a"x",b}`, `ls {a,b"x"}`, `ls {"a",b}`, "ls a{b}{c,d}", "ls {a,b}[", "ls [\"a\"]", "ls *", "ls *.go", "ls -*", "ls ?", "r? x", "/bin/r* x", `ls "a"*`, `ls 'a b'/*.go`, `ls a\ *`,
		"ls $'a'", `ls $"a"`, "ls @(a|b)", "ls !(a)",
		"ls 'a", `ls "a`, "ls |", "&& ls", "ls )", "ls ;;",
		"ls\r\nrm x", "ls\x00", "ls \x1b[2K", "ls \u202egpj", "ls\u200b", "ls\u00a0x", "ls\u2028rm", "ls\U000a38e3", "ls \xff",
	} {
		parsed, err := Read(line).PlainCommands()
		if err == nil {
			t.Errorf("Read(%q).Plain() = %q, %v; want a reason why it is not plain", line, argv(parsed), err)
		}
	}
}

// bashSees runs a line in bash without any programs. So bash prints each command instead of running
// it, in the form of argv.
func bashSees(t *rapid.T, bash, dir, line string) string {
	cmd := exec.Command(bash, "-f", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/nowhere", `BASH_FUNC_command_not_found_handle%%=() { printf '%s\0' "$@"; printf '\1'; }`}
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("bash refused %q, which counts as plain: %v", line, err)
	}
	var parts []string
	for part := range strings.SplitSeq(strings.TrimSuffix(string(printed), "\x01"), "\x01") {
		parts = append(parts, strings.ReplaceAll(strings.TrimSuffix(part, "\x00"), "\x00", "|"))
	}
	return strings.Join(parts, " ; ")
}

// The parser reads a plain line like bash does: the same commands with the same words. A difference
// could bypass the approval.
func TestParseAgreesWithBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	dir := t.TempDir()
	quoting := []string{"a", "b", " ", "  ", "'", `"`, `\`, "-", "{", "}", ",", "$", "#", "^", "@", "+", "é", "[", "]", "\\\n", "\t"}
	for name, pieces := range map[string][]string{
		"words":    append([]string{"=", "~", "..", "/", "!", ":", "*", "?"}, quoting...),
		"commands": append([]string{"\n", "\n", ";", "&&", "&", "(", ")", "`", "<", ">", "c d"}, quoting...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drawn := rapid.SampledFrom(pieces)
			rapid.Check(t, func(t *rapid.T) {
				line := "x y" + strings.Join(rapid.SliceOfN(drawn, 1, 8).Draw(t, "pieces"), "")
				parsed, err := Read(line).PlainCommands()
				if err != nil {
					t.Skip("not plain")
				}
				if slices.ContainsFunc(parsed.Commands, func(c Command) bool { return c[0].Text == "[" }) {
					t.Skip("bash's own, which is no program that could be missing")
				}
				if got, want := bashSees(t, bash, dir, line), argv(parsed); got != want {
					t.Fatalf("%q: bash sees %q, the parser %q", line, got, want)
				}
			})
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"go test ./... | tail -5", `a\ b 'c' "d\"e"`, "ls a* {} 2>&1", "ls $(x)", "\\", "a\\\nb", `''e "d}"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		parsed, err := Read(line).PlainCommands()
		if err != nil {
			return
		}
		for _, simple := range parsed.Commands {
			line := requote(simple)
			// Quoted braces need no quotes if they are a whole word. The parser does not check
			// this.
			if joinsInsideWord.MatchString(line) || strings.ContainsAny(line, "{}") {
				continue
			}
			again, err := Read(line).PlainCommands()
			if err != nil || len(again.Commands) != 1 || !slices.Equal(again.Commands[0], simple) {
				t.Fatalf("%q: the words %v do not survive quoting: %v, %v", line, simple, again, err)
			}
		}
	})
}

func requote(simple Command) string {
	var words []string
	for _, word := range simple {
		if word.Glob {
			words = append(words, word.Text)
		} else {
			words = append(words, Quote(word.Text))
		}
	}
	return strings.Join(words, " ")
}

// Calls returns the calls of any line, each with at least its program.
func TestCalls(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"": "", "X=1": "", "a $x; (b 'c d')": "a|… ; b|c d", "a 'b c": "a|'b|c ; …"} {
		var calls []string
		for _, words := range Read(line).Calls() {
			calls = append(calls, strings.Join(words, "|"))
		}
		if got := strings.Join(calls, " ; "); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}
