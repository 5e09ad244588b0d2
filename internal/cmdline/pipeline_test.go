package cmdline

import (
	"slices"
	"testing"
)

// Pipeline returns a name for each command of a pipe.
func TestPipeline(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"go test ./... 2>&1 | tail -40":                   {"go test", "tail"},
		"cd x && FOO=1 go test ./... | grep -v ok | tail": {"go test", "grep", "tail"},
		"timeout 60 npm run test |& head":                 {"npm run", "head"},
		"time go vet ./... | tail":                        {"go vet", "tail"},
		"setsid go test ./... | tail -5":                  {"go test", "tail"},
		"ionice -c3 go test ./... | tail -5":              {"go test", "tail"},
		"sudo -u me go test ./... | tail -5":              {"go test", "tail"},
		"unbuffer go test ./... |& tail -20":              {"go test", "tail"},
		"chronic go test ./... | tail -5":                 {"go test", "tail"},
		"env A=b ./run.sh | cat":                          {"run.sh", "cat"},
		"for i in 1 2; do false; done | cat":              {"for i in 1 2; do false; done", "cat"},
		"(cd a && go test ./... -run 'TestLong') | tail":  {"(cd a && go test ./... -run …", "tail"},
		"{\n  make\n  make check\n} 2>&1 | tail":          {"{ make make check } 2>&1", "tail"},
		"(./aVeryLongNameOfAProgramThatIsNotCut) | cat":   {"(./aVeryLongNameOfAProgramThatIs …", "cat"},
		"python3 a.py | sort | python3 b.py":              {"python3 a.py", "sort", "python3 b.py"},
		"X=1 | cat":                                       {"X=1", "cat"},
		"\"$x\" a | cat":                                  {"…", "cat"},
		"cat <<E | wc\na | b\nE":                          {"cat", "wc"},
		"a; b | c # note":                                 {"b", "c"},
		"set -e; a | b":                                   {"a", "b"},
		"a | b; c":                                        nil,
		"a | b &":                                         nil,
		"a | b || true":                                   nil,
		"! a | b":                                         nil,
		"a":                                               nil,
		"":                                                nil,
		"a | b \\":                                        nil,
		"cat <<E | wc\na":                                 nil,
		"a | 'b":                                          nil,
		"set -x; a | b":                                   nil,
		"set -o verbose; a | b":                           nil,
		"trap 'echo' ERR; a | b":                          nil,
	} {
		if got := Read(line).Pipeline(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestSearchesFiles(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"grep -rn x . ; false":               true,
		"cd a && git grep -n x":              true,
		"find . | xargs grep -n x":           true,
		"find . -exec grep -n x {} +":        true,
		"for f in *; do rg x \"$f\"; done":   true,
		"grep 'x":                            true,
		"go build ./... 2>&1 | grep -v x":    false,
		"go build ./... 2>&1 | tail | rg x":  false,
		"go test ./...":                      false,
		"touch /usr/share/zz 2>&1 | tail -3": false,
	} {
		if got := Read(line).SearchesFiles(); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// EndsInSearch reports whether a line ends in a search, so that its exit code may mean that there
// was no match. The second value is true if the code must come from the search.
func TestEndsInSearch(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]bool{
		"grep x f":                              {true, true},
		"cat f; grep x g":                       {true, true},
		"cat f\n/usr/bin/rg x":                  {true, true},
		"make | grep x":                         {true, true},
		"make || grep x f":                      {true, true},
		"echo a && grep x f && git grep y":      {true, true},
		"a; (cd b; timeout 5 grep x f)":         {true, true},
		"{ a; grep x f; }":                      {true, true},
		"nice grep -r x .":                      {true, true},
		"ionice -c3 grep -r x .":                {true, true},
		"setsid grep -r x .":                    {true, true},
		"chronic grep -r x .":                   {true, true},
		"sudo -u me zgrep x f":                  {true, true},
		"make && grep x f":                      {true, false},
		"cd a && grep x f":                      {true, false},
		"! grep y f && grep x f":                {true, false},
		"echo a > /read/only && grep x f":       {true, false},
		"set -e; make; grep x f":                {true, false},
		"set -o pipefail; make | grep x":        {true, false},
		"test -f f || exit 1; grep x f":         {true, false},
		"! grep x f":                            {false, false},
		"grep x f &":                            {false, false},
		"grep x f; make":                        {false, false},
		"if grep x f; then false; fi":           {false, false},
		"grep x f | wc -l":                      {false, false},
		"find . -name '*.go' -exec grep x {} ;": {false, false},
		"grep 'x":                               {false, false},
		"":                                      {false, false},
	} {
		if searches, surely := Read(line).EndsInSearch(); [2]bool{searches, surely} != want {
			t.Errorf("%q: %v, %v", line, searches, surely)
		}
	}
}
