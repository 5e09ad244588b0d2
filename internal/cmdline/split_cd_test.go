package cmdline

import "testing"

// The folder of a leading cd counts only if the whole rest of the line runs in it.
func TestWithin(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]string{
		"cd sub && go test ./...":         {"sub", "go test ./..."},
		"cd 'a b' &&\n make | tee x":      {"a b", "make | tee x"},
		"cd /w/sub && a && b || c":        {"/w/sub", "a && b || c"},
		"cd sub && a; b":                  {"sub", "a; b"},
		"cd sub && a; b &":                {"sub", "a; b &"},
		"cd sub && cat <<'E' > f\nx\nE\n": {"sub", "cat <<'E' > f\nx\nE"},
		"cd sub && cd deep && ls":         {"sub", "cd deep && ls"},
		"cd sub && a & b":                 {},
		"cd sub || a":                     {},
		"cd sub; a":                       {},
		"cd sub | cat && a":               {},
		"(cd sub && a); b":                {},
		"! cd sub && a":                   {},
		"cd $HOME && a":                   {},
		"cd ~ && a":                       {},
		"cd - && a":                       {},
		"cd su* && a":                     {},
		"cd && a":                         {},
		"cd a b && c":                     {},
		"cd sub > log && a":               {},
		"X=1 cd sub && a":                 {},
		"cd sub &&":                       {},
		"ls":                              {},
	} {
		dir, rest, ok := Read(line).SplitCd()
		if dir != want[0] || rest != want[1] || ok != (want[0] != "") {
			t.Errorf("%q: %q, %q, %t", line, dir, rest, ok)
		}
	}
}
