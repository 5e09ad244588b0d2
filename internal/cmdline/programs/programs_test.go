package programs

import (
	"slices"
	"strings"
	"testing"
)

func TestEachProgramIsInOneRow(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.names) {
			if seen[name] {
				t.Errorf("%s is in two rows", name)
			}
			seen[name] = true
			if r.does&LaunchesCommand == 0 && (r.values != "" || r.operands > 0) {
				t.Errorf("%s launches nothing and has options or operands", name)
			}
			if !Is(name, r.does) || !IsNamed(name, r.does) {
				t.Errorf("%s is not found", name)
			}
		}
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program   string
		does      Traits
		is, named bool
	}{
		{"bash", IsShell, true, true},
		{"/bin/bash-5.2", IsShell, true, false},
		{"C:/x/BASH.EXE", IsShell, true, false},
		{"python3.13", RunsFiles, true, false},
		{"./node", RunsFiles, true, false},
		{"x86_64", CarriesCommand, true, true},
		{".", SourcesFile, true, true},
		{"./", SourcesFile, false, false},
		{"", SourcesFile, false, false},
		{"/", SourcesFile, false, false},
		{"bash", WrapsCommand | SearchesFiles, false, false},
		{"bashful", IsShell, false, false},
		{"5", IsShell, false, false},
	} {
		if is, named := Is(c.program, c.does), IsNamed(c.program, c.does); is != c.is || named != c.named {
			t.Errorf("%q: %t, %t", c.program, is, named)
		}
	}
	if names := NamesWith(ReadsFolders); !slices.Contains(names, "tar") || slices.Contains(names, "cat") {
		t.Errorf("%q pack", names)
	}
}

// The name is the program that runs, whatever program launches it.
func TestLaunched(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test":                                "go test",
		"timeout 60 go test":                     "go test",
		"timeout -s KILL -k 5 1m go test":        "go test",
		"nice -n 5 go test":                      "go test",
		"ionice -c3 go test":                     "go test",
		"ionice -c 3 -n 7 go test":               "go test",
		"setsid -w go test":                      "go test",
		"chronic go test":                        "go test",
		"unbuffer -p go test":                    "go test",
		"sudo go test":                           "go test",
		"sudo -u me go test":                     "go test",
		"sudo -EHu me -- go test":                "go test",
		"sudo -n A=1 go test":                    "go test",
		"env -i -u X A=1 go test":                "go test",
		"/usr/bin/env bash -c x":                 "bash -c x",
		"stdbuf -oL go test":                     "go test",
		"stdbuf -o L -- go test":                 "go test",
		"nohup time -p go test":                  "go test",
		"chrt -o 0 go test":                      "go test",
		"flock -w 5 lock go test":                "go test",
		"strace -f -o out -e trace=open go test": "go test",
		"xargs -0 -n 1 go test":                  "go test",
		"busybox grep x":                         "grep x",
		"sudo -u me nice -n 5 timeout 5 go test": "go test",
		"sudo":                                   "sudo",
		"sudo -l":                                "sudo -l",
		"timeout 60":                             "timeout 60",
		"su me -c x":                             "su me -c x",
		"nice - x":                               "- x",
	} {
		if got := strings.Join(SkipLaunchers(strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
