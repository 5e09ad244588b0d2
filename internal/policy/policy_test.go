package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/provider"
	"agent/internal/testing/need"
)

// write makes a policy in a folder of the test.
func write(t *testing.T, text string) File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return OwnedBy(path, os.Getuid())
}

// A file that does not count says why, and one that is not there bounds nothing.
func TestLoad(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"no JSON":        {"{", "unexpected EOF"},
		"a typing error": {`{"mode": ["ask"]}`, `unknown field "mode"`},
		"no such mode":   {`{"modes": ["yolo"]}`, `modes has "yolo"`},
		"no such word":   {`{"sandbox": "off"}`, `sandbox is "off"`},
		"two objects":    {`{} {}`, "more behind"},
		"a rule":         {`{"deny": ["Bsh(curl)"]}`, "does not hold"},
		"a doubtful one": {`{"deny": ["Bash(\"curl\" *)"]}`, "the rule deny"},
		"a login":        {`{"logins": ["no such"]}`, "names no provider"},
	} {
		if _, err := write(t, tc.text).Load(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err := OwnedBy(filepath.Join(t.TempDir(), "none"), 0).Load(); p != nil || err != nil {
		t.Errorf("no file: %v, %v", p, err)
	}
	p, err := write(t, `{"modes": ["ask"], "tools": [], "sandbox": "strict"}`).Load()
	if err != nil || strings.Join(p.Lines(), "; ") != "modes: ask; tools: none; sandbox: strict" || len(p.Hash) != 64 {
		t.Errorf("%v, %v", p, err)
	}
}

// Only its owner can have written the file and its folder.
func TestForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	if !need.Unix {
		t.Skip("a file's owner there is no number, and only administrators can give it away")
	}
	for want, change := range map[string]func(t *testing.T, f *File){
		"it belongs to user":    func(_ *testing.T, f *File) { *f = OwnedBy(f.Path, os.Getuid()+1) },
		"others may write it":   func(_ *testing.T, f *File) { _ = os.Chmod(f.Path, 0o620) },
		"of its folder, others": func(_ *testing.T, f *File) { _ = os.Chmod(filepath.Dir(f.Path), 0o707) },
		"it is no regular file": func(t *testing.T, f *File) {
			if err := os.Symlink(f.Path, f.Path+"2"); err != nil {
				t.Fatal(err)
			}
			f.Path += "2"
		},
	} {
		f := write(t, "{}")
		if _, err := f.Load(); err != nil {
			t.Fatal(err)
		}
		change(t, &f)
		if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	p := &Policy{
		Path: "P", Tools: []string{"read_file", "mcp__docs__*"}, Hosts: []string{"corp.example"}, Providers: []string{"anthropic", "https://llm.corp.example/v1"},
		Servers: []string{"https://mcp.corp.example/*", "/opt/bin/tickets --read *", "/opt/bin/plain"}, Logins: []string{"anthropic", "search:brave", "https://llm.corp.example/v1"},
	}
	endpoint := func(base string) error { return p.Provider(provider.Endpoint{BaseURL: base}) }
	for name, tc := range map[string]struct {
		err  error
		fine bool
	}{
		"a tool":                 {p.Tool("read_file"), true},
		"another tool":           {p.Tool("write_file"), false},
		"a tool of a server":     {p.Tool("mcp__docs__find"), true},
		"of another":             {p.Tool("mcp__docs2__find"), false},
		"a host":                 {p.Host("corp.example"), true},
		"below it":               {p.Host("A.Corp.Example."), true},
		"a host like it":         {p.Host("xcorp.example"), false},
		"a vendor":               {endpoint("https://api.anthropic.com/v1"), true},
		"its name elsewhere":     {p.Provider(provider.Endpoint{BaseURL: "https://evil.example/v1", Provider: "anthropic"}), false},
		"over plain http":        {endpoint("http://api.anthropic.com/v1"), false},
		"an address":             {endpoint("https://llm.corp.example/v1"), true},
		"another path":           {endpoint("https://llm.corp.example/v2"), false},
		"no endpoint":            {endpoint(""), true},
		"a server":               {p.Server("https://mcp.corp.example/a"), true},
		"at a host like it":      {p.Server("https://mcp.corp.example.evil/"), false},
		"a command":              {p.Server("/opt/bin/plain"), true},
		"with arguments":         {p.Server("/opt/bin/plain", "-x"), false},
		"with arguments allowed": {p.Server("/opt/bin/tickets", "--read", "a", "b"), true},
		"with others":            {p.Server("/opt/bin/tickets", "--write"), false},
		"words in one":           {p.Server("/opt/bin/tickets --read"), false},
		"a login":                {p.LoginNamed("anthropic"), true},
		"another login":          {p.LoginNamed("openai"), false},
		"a search service":       {p.LoginNamed("search:brave"), true},
		"a place":                {p.Login("llm.corp.example"), true},
		"a plain place":          {p.Login("http://llm.corp.example"), false},
		"outside":                {p.Outside(), true},
		"outside, strictly":      {(&Policy{Sandbox: Strict}).Outside(), false},
		"nothing":                {Nothing("P").Tool("read_file"), false},
	} {
		if (tc.err == nil) != tc.fine {
			t.Errorf("%s: %v", name, tc.err)
		}
	}
	var none *Policy
	for _, err := range []error{none.Tool("x"), none.Host("x"), endpoint(""), none.Server("x"), none.Login("x"), none.Outside()} {
		if err != nil {
			t.Error(err)
		}
	}
}
