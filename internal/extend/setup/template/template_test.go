package template

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFill(t *testing.T) {
	t.Parallel()
	text := func(s string) []Part { return []Part{{Text: s}} }
	for _, c := range []struct {
		id   string
		give Template
		line string
		want []Part
	}{
		{"all arguments", Template{Text: "fix $ARGUMENTS now"}, "a 'b c'", text("fix a 'b c' now")},
		{"by number", Template{Text: "$2 before $1"}, `one "two words"`, text("two words before one")},
		{"by index", Template{Text: "$ARGUMENTS[1]$ARGUMENTS[0]"}, "a b", text("ba")},
		{"by name", Template{Text: "$file in $branch, $branches", Names: []string{"file", "branch"}}, "x main", text("x in main, $branches")},
		{"a number without an argument stays", Template{Text: "costs $5, $1"}, "a", text("costs $5, a")},
		{"two digits are a number", Template{Text: "$10"}, "a", text("$10\n\na")},
		{"an escaped dollar", Template{Text: `\$1 $1`}, "a", text("$1 a")},
		{"without a place they follow", Template{Text: "review"}, "the tests", text("review\n\nthe tests")},
		{"nothing follows nothing", Template{Text: "review"}, " ", text("review")},
		{"what is put in is not looked at again", Template{Text: "$1 $2"}, "'$2 @x !`y`' b", text("$2 @x !`y` b")},
		{"of gemini-cli", Template{Text: "do {{args}} @{a.go} !{ls {{args}}}", Braces: true}, "x;y", []Part{{Text: "do x;y "}, {File: "a.go"}, {Text: " "}, {Command: "ls 'x;y'", Written: "ls {{args}}"}}},
		{"only there", Template{Text: "do {{args}}, !{ls}"}, "", text("do {{args}}, !{ls}")},
		{"a file", Template{Text: "see @src/a.go, me@b.c (@b.go)"}, "", []Part{{Text: "see "}, {File: "src/a.go"}, {Text: ", me@b.c ("}, {File: "b.go"}, {Text: ")"}}},
		{"a command", Template{Text: "at !`git log $1`."}, `"a'b"`, []Part{{Text: "at "}, {Command: `git log 'a'\''b'`, Written: "git log $1"}, {Text: "."}}},
		{"in quotes", Template{Text: "!`echo \"$1\" '$1' \"a $1\"`"}, `'x"y'`, []Part{{Command: `echo ""'x"y'"" '''x"y''' "a "'x"y'""`, Written: "echo \"$1\" '$1' \"a $1\""}}},
		{"in a substitution", Template{Text: "!`echo $(cat \"$1\")`"}, `a;b`, []Part{{Command: `echo $(cat ""'a;b'"")`, Written: `echo $(cat "$1")`, Refused: "an argument within $(…), ${…}, <<… or backticks may contain only letters, digits and ./:@%+,=_-"}}},
		{"the folder of a skill", Template{Text: "run ${CLAUDE_SKILL_DIR}/x", Dir: "/s"}, "", text("run /s/x")},
		{"nothing of a folder in a command", Template{Text: "${CLAUDE_SKILL_DIR}/x"}, "", text("${CLAUDE_SKILL_DIR}/x")},
	} {
		if diff := cmp.Diff(c.want, c.give.Fill(c.line)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.id, diff)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                   nil,
		"  a  b\t":           {"a", "b"},
		`"a b" 'c "d"' e\ f`: {"a b", `c "d"`, "e f"},
		`'' ""`:              {"", ""},
		`a"b c`:              {"ab c"},
	} {
		if diff := cmp.Diff(want, SplitWords(line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

// Typed arguments reach a command as one word, with or without quotes, and never run anything.
func TestArgumentsAreOneWord(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching("[a-c \"'`$();|&<>\\\\*?{}!#-]{1,12}").Draw(t, "value")
		quoted := strings.ReplaceAll(strings.ReplaceAll(value, `\`, `\\`), `"`, `\"`)
		for _, form := range []string{`printf %s $1`, `printf %s "$1"`, `printf %s '$1'`, `printf %s "$ARGUMENTS[0]"`} {
			parts := Template{Text: "!`" + form + "`"}.Fill(`"` + quoted + `"`)
			out, err := exec.Command(shell, "-c", parts[0].Command).CombinedOutput()
			if err != nil || string(out) != value {
				t.Fatalf("%s with %q: %q, %v; ran %s", form, value, out, err, parts[0].Command)
			}
		}
	})
}
