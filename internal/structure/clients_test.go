package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// otherClient matches the ways to make a request without reachlog.NewClient.
var otherClient = regexp.MustCompile(`new\(http\.Client\)|\bhttp\.(Client\{|DefaultClient|Get\(|Head\(|Post\(|PostForm\()`)

// Every HTTP client of the program comes from reachlog.NewClient, so that it refuses a reply that
// switches protocols.
func TestEveryClientIsMadeInOnePlace(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"&http.Client{}": true, "new(http.Client)": true, "http.Get(address)": true, "http.DefaultClient.Do(r)": true,
		"(client *http.Client) error": false, "http.GetBody": false,
	} {
		if otherClient.MatchString(source) != want {
			t.Errorf("%s counts as another client: %v", source, !want)
		}
	}
	made := 0
	for _, folder := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			path = filepath.ToSlash(path)
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "internal/testing/") {
				return err
			}
			source, err := os.ReadFile(path)
			made += strings.Count(string(source), "reachlog.NewClient(")
			if found := otherClient.Find(source); found != nil && path != "internal/reachlog/http_client.go" {
				t.Errorf("%s: %s; make the client with reachlog.NewClient", path, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if made < 7 {
		t.Errorf("the program makes %d clients", made)
	}
}

// The program's own files are opened by package fsutil. If a pipe, a device or a huge file is in
// their place, fsutil returns an error.
func TestOwnFilesAreOpenedByFsutil(t *testing.T) {
	t.Parallel()
	other := regexp.MustCompile(`\bos\.(Open|ReadFile)\(`)
	// A tool opens files of the workspace with Env.open, which asks for approval of secret files.
	unasked := regexp.MustCompile(`\b(os\.(Open|OpenFile|ReadFile)|fsutil\.(Open|Read|ReadUpTo|ReadBeginning))\(`)
	for _, room := range []string{
		"app", "audit", "extend/projectcheck", "extend/setup/plugins", "git/worktree", "notes", "offline",
		"provider/catalogue", "session", "sessionsearch", "settings", "snapshot", "tools", "websearch",
	} {
		files, err := filepath.Glob("internal/" + room + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has the files %q, %v", room, files, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if found := unasked.Find(source); found != nil && room == "tools" && !strings.HasSuffix(file, "_test.go") && filepath.Base(file) != "remember.go" {
				t.Errorf("%s: %s; open the file with Env.open", file, found)
			}
			if found := other.Find(source); found != nil && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s: %s; open the file with package fsutil", file, found)
			}
		}
	}
}
