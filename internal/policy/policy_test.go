package policy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/provider"
	"agent/internal/testing/fifo"
	"agent/internal/testing/require"
)

// write creates a policy file in a temporary folder.
func write(t *testing.T, text string) File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return OwnedBy(path, os.Getuid())
}

// Load returns the reason why a policy file is invalid. A missing file restricts nothing.
func TestLoad(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"no end":          {"{", "line 1: the JSON is incomplete"},
		"no JSON":         {"{\n\n tools}", "line 3: it is not valid JSON"},
		"a mark before":   {"\ufeff{}", "line 1: it is not valid JSON"},
		"empty":           {" \n", "the file is empty"},
		"a list":          {`["ask"]`, "is not a JSON object"},
		"nothing":         {`null`, "is not a JSON object"},
		"a typing error":  {`{"mode": ["ask"]}`, `unknown member "mode"; valid: deny, hosts`},
		"another case":    {`{"Tools": ["read_file"]}`, `unknown member "Tools"`},
		"twice":           {`{"tools": [], "tools": ["*"]}`, "tools appears twice"},
		"no list":         {`{"tools": "read_file"}`, "tools is not a list of strings"},
		"null":            {`{"tools": null}`, "tools is null"},
		"null for one":    {`{"tools": ["read_file", null]}`, "tools is not a list of strings"},
		"no text":         {`{"sandbox": ["strict"]}`, "sandbox is not a string"},
		"too long":        {strings.Repeat(" ", 10_000_000) + "{}", "longer than 1.0 MiB"},
		"no such mode":    {`{"modes": ["yolo"]}`, `modes contains the unknown mode "yolo"`},
		"too wide a word": {`{"cache-warming": "idle"}`, `cache-warming is "idle"`},
		"no such word":    {`{"sandbox": "off"}`, `sandbox is "off"`},
		"two objects":     {`{} {}`, "there is text after"},
		"a rule":          {`{"deny": ["Bsh(curl)"]}`, "has no effect"},
		"a doubtful one":  {`{"deny": ["Bash(\"curl\" *)"]}`, `the rule "deny`},
		"a login":         {`{"logins": ["no such"]}`, "is not a provider"},
		"a host's star":   {`{"servers": ["https://mcp.corp.example*"]}`, "a * in a host name"},
	} {
		if _, err := write(t, tc.text).Load(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err := OwnedBy(filepath.Join(t.TempDir(), "none"), 0).Load(); p != nil || err != nil {
		t.Errorf("no file: %v, %v", p, err)
	}
	if _, err := (File{Path: "x/policy.json", lost: errors.New("no such folder")}).Load(); err == nil || !strings.Contains(err.Error(), "agent does not start") {
		t.Errorf("a place that the system does not say: %v", err)
	}
	p, err := write(t, `{"modes": ["ask"], "tools": [], "sandbox": "strict"}`).Load()
	if err != nil || strings.Join(p.Describe(), "; ") != "modes: ask; tools: none; sandbox: strict" || len(p.Hash) != 64 {
		t.Errorf("%v, %v", p, err)
	}
}

// Load refuses a file or folder that another user could have written. A path that is not a regular
// file does not count as missing.
func TestForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	if !require.Unix {
		t.Skip("a file's owner there is no number, and only administrators can give it away")
	}
	instead := func(t *testing.T, f *File, make func(path string) error) {
		t.Helper()
		if err := os.Remove(f.Path); err != nil {
			t.Fatal(err)
		}
		if err := make(f.Path); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		want   string
		change func(t *testing.T, f *File)
	}{
		"an owner":  {"it belongs to user", func(_ *testing.T, f *File) { *f = OwnedBy(f.Path, os.Getuid()+1) }},
		"its group": {"others may write it", func(_ *testing.T, f *File) { _ = os.Chmod(f.Path, 0o620) }},
		"everybody": {"others may write it", func(_ *testing.T, f *File) { _ = os.Chmod(f.Path, 0o602) }},
		"a folder":  {"of its folder, others", func(_ *testing.T, f *File) { _ = os.Chmod(filepath.Dir(f.Path), 0o707) }},
		"a link": {"it is a symbolic link", func(t *testing.T, f *File) {
			there := f.Path
			f.Path += "2"
			if err := os.Symlink(there, f.Path); err != nil {
				t.Fatal(err)
			}
		}},
		"a link to nowhere": {"it is a symbolic link", func(t *testing.T, f *File) {
			instead(t, f, func(path string) error { return os.Symlink("nowhere", path) })
		}},
		"a folder to nowhere": {"its folder is a broken link", func(t *testing.T, f *File) {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink("nowhere", link); err != nil {
				t.Fatal(err)
			}
			f.Path = filepath.Join(link, "policy.json")
		}},
		"a folder in its place": {"not a regular file", func(t *testing.T, f *File) {
			instead(t, f, func(path string) error { return os.Mkdir(path, 0o700) })
		}},
		"a pipe": {"not a regular file", func(t *testing.T, f *File) { instead(t, f, func(path string) error { return fifo.Make(t, path) }) }},
		"unreadable": {"it cannot be read", func(t *testing.T, f *File) {
			if os.Geteuid() == 0 {
				t.Skip("root reads everything")
			}
			_ = os.Chmod(f.Path, 0o200)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := write(t, "{}")
			if _, err := f.Load(); err != nil {
				t.Fatal(err)
			}
			tt.change(t, &f)
			if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	p := &Policy{
		Path: "P", Tools: []string{"read_file", "mcp__docs__*"}, Hosts: []string{"corp.example"}, Providers: []string{"anthropic", "https://llm.corp.example/v1"},
		Servers: []string{"https://mcp.corp.example/*", "/opt/bin/tickets --read *", "/opt/bin/plain", "/opt/lib/*"}, Logins: []string{"anthropic", "search:brave", "https://llm.corp.example/v1"},
	}
	endpoint := func(base string) error { return p.CheckProvider(provider.Endpoint{BaseURL: base}) }
	for name, tc := range map[string]struct {
		err  error
		fine bool
	}{
		"a tool":                 {p.CheckTool("read_file"), true},
		"another tool":           {p.CheckTool("write_file"), false},
		"a tool of a server":     {p.CheckTool("mcp__docs__find"), true},
		"of another":             {p.CheckTool("mcp__docs2__find"), false},
		"a host":                 {p.CheckHost("corp.example"), true},
		"below it":               {p.CheckHost("A.Corp.Example."), true},
		"a host like it":         {p.CheckHost("xcorp.example"), false},
		"a vendor":               {endpoint("https://api.anthropic.com/v1"), true},
		"its name elsewhere":     {p.CheckProvider(provider.Endpoint{BaseURL: "https://evil.example/v1", Provider: "anthropic"}), false},
		"over plain http":        {endpoint("http://api.anthropic.com/v1"), false},
		"an address":             {endpoint("https://llm.corp.example/v1"), true},
		"another path":           {endpoint("https://llm.corp.example/v2"), false},
		"no endpoint":            {endpoint(""), true},
		"a server":               {p.CheckServer("https://mcp.corp.example/a"), true},
		"at a host like it":      {p.CheckServer("https://mcp.corp.example.evil/"), false},
		"above its folder":       {p.CheckServer("https://mcp.corp.example/a/%2e%2E/b"), false},
		"a command":              {p.CheckServer("/opt/bin/plain"), true},
		"any of a folder":        {p.CheckServer("/opt/lib/x/..y"), true},
		"above a folder":         {p.CheckServer("/opt/lib/../../tmp/x"), false},
		"with arguments":         {p.CheckServer("/opt/bin/plain", "-x"), false},
		"with arguments allowed": {p.CheckServer("/opt/bin/tickets", "--read", "a", "b"), true},
		"with others":            {p.CheckServer("/opt/bin/tickets", "--write"), false},
		"words in one":           {p.CheckServer("/opt/bin/tickets --read"), false},
		"a login":                {p.CheckLoginName("anthropic"), true},
		"another login":          {p.CheckLoginName("openai"), false},
		"a search service":       {p.CheckLoginName("search:brave"), true},
		"a place":                {p.CheckLogin("llm.corp.example"), true},
		"a plain place":          {p.CheckLogin("http://llm.corp.example"), false},
		"outside":                {p.CheckUnsandboxed(), true},
		"outside, strictly":      {(&Policy{Sandbox: Strict}).CheckUnsandboxed(), false},
		"nothing":                {DenyAll("P").CheckTool("read_file"), false},
	} {
		if (tc.err == nil) != tc.fine {
			t.Errorf("%s: %v", name, tc.err)
		}
	}
	var none *Policy
	for _, err := range []error{none.CheckTool("x"), none.CheckHost("x"), endpoint(""), none.CheckServer("x"), none.CheckLogin("x"), none.CheckUnsandboxed()} {
		if err != nil {
			t.Error(err)
		}
	}
}
