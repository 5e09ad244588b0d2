package cmdline

import (
	"strings"
	"testing"
)

func TestPowerShellThatOnlyLooks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Get-ChildItem":                                "ls",
		"get-childitem src -Recurse -Depth 2":          "ls -R src",
		"Get-Content README.md -TotalCount 20":         "cat README.md",
		"Get-Content 'a file (1).txt'":                 "cat a file (1).txt",
		"Select-String 'func (main|init)' cmd/main.go": "grep -e func (main|init) cmd/main.go",
		"Test-Path a/b":                                "ls -d a/b",
		"git status":                                   "git status",
		"git log --oneline -5":                         "git log --oneline -5",
		"git log --format='%h'":                        "", // quotes within a word
		"cat README.md":                                "", // aliases
		"ls":                                           "",
		"gci":                                          "",
		"rm x":                                         "",
		"curl http://x":                                "",
		"iex 'rm x'":                                   "",
		"Invoke-Expression 'rm x'":                     "",
		"% { rm x }":                                   "",
		"ForEach-Object { rm x }":                      "",
		"start calc":                                   "",
		"cmd /c del x":                                 "",
		"powershell -EncodedCommand AAAA":              "",
		"& git status":                                 "",
		". ./x.ps1":                                    "",
		"./x.ps1":                                      "",
		"x.lnk":                                        "",
		"'Get-Content' a":                              "",
		"git status; rm x":                             "",
		"git status | rm x":                            "",
		"git status && rm x":                           "",
		"git status & rm x":                            "",
		"git log $(rm x)":                              "",
		"git log @(rm x)":                              "",
		"git log (rm x)":                               "",
		"git log $x":                                   "",
		"git log `n":                                   "",
		"git log \"a\"":                                "",
		"git log \"\\\" ; rm x ; \"\\\"\"":             "",
		"git log \u201c ; rm x ; \u201d":               "", // PowerShell treats these as quotes
		"git log \u2018a\u2019":                        "",
		"git log \u2013p":                              "", // PowerShell treats this as a dash
		"git log --%":                                  "",
		"git log -- x":                                 "",
		"git log -S.x":                                 "", // PowerShell passes it on in two parts
		"git log > x":                                  "",
		"git log\nrm x":                                "",
		"git log\r\nrm x":                              "",
		"git log\trm":                                  "",
		"git.exe status":                               "",
		"Get-Content -Path:x":                          "",
		"Get-Content Env:PATH":                         "",
		"Get-Content HKLM:/x":                          "",
		"Get-Content C:/x":                             "",
		"Get-Content //server/share":                   "",
		"Get-Content '//server/share'":                 "",
		"Get-Content *.txt":                            "",
		"Get-Content 'a*'":                             "",
		"Get-Content 'a[0-9]'":                         "",
		"Get-Content a -Wait":                          "",
		"Get-Content a -Stream x":                      "",
		"Get-Content a,b":                              "",
		"Get-Content ~/x":                              "",
		"Get-Content":                                  "",
		"Select-String x":                              "",
		"Get-ChildItem -Exclude x":                     "",
		"Get-Content 'a''b'":                           "",
		"Get-Content 'a":                               "",
		"Get-Content ''":                               "",
		"if":                                           "",
		"":                                             "",
		"   ":                                          "",
		"#":                                            "",
	} {
		parsed, err := ParsePowerShell(line)
		var got []string
		if err == nil {
			for _, word := range parsed.Commands[0] {
				got = append(got, word.Text)
			}
		}
		if strings.Join(got, " ") != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestLinesOfRelativePaths(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"cat a/b.txt": true, "git log --oneline -5": true, "ls ../x": true,
		"ls /": false, "cat /c/Users/x": false, "cd / && ls": false, "cat 'C:x'": false, `cat 'a\b'`: false, "cat a*": false,
		"grep -f/c/x a": false, "grep --file=/c/x a": false, "ls ~x": false, "cat HKLM:x": false, "cat x=/c/y": false,
	} {
		parsed, err := Read(line).PlainCommands()
		if err != nil && want || err == nil && parsed.isRelative() != want {
			t.Errorf("%q: %v, %v", line, parsed.isRelative(), err)
		}
	}
}

// A line counts as read-only only if it has nothing special to PowerShell outside single quotes,
// and no character inside them that ends them.
func FuzzParsePower(f *testing.F) {
	for _, line := range []string{"Get-Content 'a b' -Raw", "git log; rm x", "Get-Item \u2018a\u2019", "'git' x", "git log 'a' 'b'"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		parsed, err := ParsePowerShell(line)
		if err != nil {
			return
		}
		if len(parsed.Commands) != 1 || len(parsed.Commands[0]) == 0 || parsed.Commands[0][0].Glob {
			t.Fatalf("%q is %v", line, parsed)
		}
		parts := strings.Split(line, "'")
		if len(parts)%2 == 0 {
			t.Fatalf("%q: a quote is open", line)
		}
		for i, part := range parts {
			if strings.ContainsFunc(part, func(r rune) bool {
				return r < ' ' || r > '~' || r == '"' || r == '`' || r == '$' || r == ';' || r == '&'
			}) {
				t.Fatalf("%q holds what PowerShell may obey", line)
			}
			if i%2 == 0 && strings.ContainsAny(part, "(){}[]|<>#@,:*?~!^%\\") {
				t.Fatalf("%q holds an operator", line)
			}
		}
	})
}
