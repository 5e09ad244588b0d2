package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/lsp"
	"agent/internal/sandbox"
	"agent/internal/testing/lsptest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	lsptest.Run()
	goleak.VerifyTestMain(m)
}

// folder creates a folder with files. Its gopls is the test server with the given fault.
func folder(t *testing.T, fault string, files map[string]string) *lsp.Folder {
	t.Helper()
	return openFolder(t, new(lsp.Pool), lsptest.Environ(t, fault), files)
}

// openFolder opens a folder with files, for the servers of an environment.
func openFolder(t *testing.T, pool *lsp.Pool, environ []string, files map[string]string) *lsp.Folder {
	t.Helper()
	root := realDir(t)
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	f := pool.Open(lsp.Config{
		Root: root, Cache: realDir(t),
		Environ:  func() []string { return environ },
		Confined: func() sandbox.Confinement { return sandbox.Confinement{} },
		Files: func(_ context.Context, keep func(string) bool) (all []string, err error) {
			return all, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
				if err == nil && keep(path) {
					all = append(all, path)
				}
				return err
			})
		},
	})
	t.Cleanup(f.Close)
	return f
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	_ = os.MkdirAll(filepath.Dir(path), 0o700) // then the file can't be written
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// at returns the position of the first occurrence of a word in a file.
func at(t testing.TB, f *lsp.Folder, name, word string) lsp.SymbolPosition {
	t.Helper()
	path := filepath.Join(f.Root, name)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return lsp.SymbolPosition{Path: path, Content: content, At: strings.Index(string(content), word)}
}

// shown formats locations as FILE:LINE=TEXT.
func shown(t testing.TB, f *lsp.Folder, places []lsp.Location) (all []string) {
	t.Helper()
	for _, p := range places {
		content, _ := os.ReadFile(p.Path)
		text := "?"
		if start, end, ok := p.Offsets(content); ok {
			text = string(content[start:end])
		}
		rel, _ := filepath.Rel(f.Root, p.Path)
		all = append(all, fmt.Sprintf("%s:%d=%s", rel, p.Line(), text))
	}
	return all
}

// Positions are correct in files with CRLF and with characters of two UTF-16 units. The server
// first requests two settings.
func TestReferences(t *testing.T) {
	t.Parallel()
	f := folder(t, "", map[string]string{"a.go": "package a\r\n\r\n// 𝄞é\r\nvar s = \"𝄞é\" + name // 𝄞\r\n", "b.go": "package a\n\nvar name = 1"})
	got, err := f.Ask(t.Context(), lsp.References, at(t, f, "a.go", "name"))
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(shown(t, f, got.Places), " "); text != "a.go:4=name b.go:3=name" || got.Total != 2 || len(got.Notes) > 0 {
		t.Errorf("%s, %+v", text, got)
	}
	if running := f.Servers(); len(running) != 1 || !strings.HasPrefix(running[0], "gopls (Go), running for ") || !strings.Contains(running[0], ", 1 question, ") {
		t.Errorf("%+v", running)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.go": "package a\n\nvar name = 1\n", "b.go": "package a\n\nvar other = name\n"}
	for fault, want := range map[string]string{
		lsptest.FaultTwice:   "a.go:3=name b.go:3=name",
		lsptest.FaultLoads:   "a.go:3=name b.go:3=name",
		lsptest.FaultOutside: ":1=",
		lsptest.FaultBeyond:  "a.go:1003=? b.go:1003=?",
		lsptest.FaultNull:    "",
		lsptest.FaultDies:    "error: gopls ended: exit status 2: panic: ␛[31mit dies␛[0m",
		lsptest.FaultFloods:  "error: gopls ended: ",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			f := folder(t, fault, files)
			for range 2 { // the second round uses another process if the first has ended
				got, err := f.Ask(t.Context(), lsp.References, at(t, f, "a.go", "name"))
				text := strings.Join(shown(t, f, got.Places), " ")
				if err != nil {
					text = "error: " + err.Error()
				}
				if _, outside, found := strings.Cut(text, "etc/hosts"); found {
					text = outside // the relative path depends on the temporary folder
				}
				if !strings.HasPrefix(text, want) || want == "" && text != "" {
					t.Fatalf("%q, want %q", text, want)
				}
			}
		})
	}
}

// A server that crashes repeatedly is not started again.
func TestAServerThatDiesIsLeft(t *testing.T) {
	t.Parallel()
	f := folder(t, lsptest.FaultDies, map[string]string{"a.go": "package a\n"})
	var err error
	for range 4 {
		_, err = f.Ask(t.Context(), lsp.Definition, at(t, f, "a.go", "a"))
	}
	if err == nil || !strings.Contains(err.Error(), "crashed 3 times; agent does not restart it") {
		t.Error(err)
	}
	if left := f.Servers(); len(left) != 1 || left[0] != "gopls (Go), not running: it crashed 3 times. To use it again, start a new session" {
		t.Errorf("%+v", left)
	}
}

// A million locations are counted but not stored.
func TestManyPlaces(t *testing.T) {
	t.Parallel()
	f := folder(t, lsptest.FaultMany, map[string]string{"a.go": "package a\n"})
	got, err := f.Ask(t.Context(), lsp.References, at(t, f, "a.go", "a"))
	if err != nil || got.Total != 20_000 || len(got.Places) != 5000 {
		t.Errorf("%d of %d, %v", len(got.Places), got.Total, err)
	}
}

// An interrupted call returns, whatever the server does.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	f := folder(t, lsptest.FaultSilent, map[string]string{"a.go": "package a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := f.Ask(ctx, lsp.Definition, at(t, f, "a.go", "a"))
		ended <- err
	}()
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
}

// Close returns at once, also while a server starts.
func TestCloseWhileAServerStarts(t *testing.T) {
	t.Parallel()
	f := folder(t, lsptest.FaultMute, map[string]string{"a.go": "package a\n"})
	ended := make(chan error)
	go func() {
		_, err := f.Ask(context.WithoutCancel(t.Context()), lsp.Definition, at(t, f, "a.go", "a"))
		ended <- err
	}()
	f.Close()
	if err := <-ended; err == nil || err.Error() != "the conversation has ended" {
		t.Error(err)
	}
}

// A conversation gets its answer although another one, which started the server, ends meanwhile. The last
// conversation in a folder ends the server.
func TestConversationsShareAServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	pool := new(lsp.Pool)
	environ := lsptest.Environ(t, lsptest.FaultWaits+listener.Addr().String())
	first := openFolder(t, pool, environ, map[string]string{"a.go": "package a\n"})
	second := pool.Open(first.Config)
	t.Cleanup(second.Close)
	ask := func(f *lsp.Folder) chan error {
		target, ended := at(t, f, "a.go", "a"), make(chan error, 1)
		go func() {
			_, err := f.Ask(t.Context(), lsp.Definition, target)
			ended <- err
		}()
		return ended
	}
	begun := ask(first)
	starting, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	waiting := ask(second)
	first.Close()
	starting.Close()
	if err := errors.Join(<-begun, <-waiting); err != nil {
		t.Error(err)
	}
	if running := second.Servers(); len(running) != 1 || !strings.Contains(running[0], ", 2 questions, ") {
		t.Errorf("%+v", running)
	}
	second.Close()
	if running := second.Servers(); len(running) > 0 {
		t.Errorf("%+v", running)
	}
	if err := <-ask(second); err == nil || err.Error() != "the conversation has ended" {
		t.Error(err)
	}
}

// Before the first request, nothing of a folder runs.
func TestOpenStartsNothing(t *testing.T) {
	t.Parallel()
	f := new(lsp.Pool).Open(lsp.Config{
		Root:    realDir(t),
		Environ: func() []string { t.Error("the environment is read"); return nil },
		Files: func(context.Context, func(string) bool) ([]string, error) {
			t.Error("the files are listed")
			return nil, nil
		},
	})
	defer f.Close()
	if running := f.Servers(); len(running) > 0 {
		t.Errorf("%+v", running)
	}
}

// renamed returns a position with the name after a rename.
func renamed(p lsp.SymbolPosition, name string) lsp.SymbolPosition {
	p.NewName = name
	return p
}

func TestRenameAndDescribe(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.go": "package a\n\nvar name = 1\n", "b.go": "package a\n\nvar other = name\n"}
	f := folder(t, "", files)
	got, err := f.Ask(t.Context(), lsp.Rename, renamed(at(t, f, "a.go", "name"), "better"))
	if err != nil || len(got.Edits) != 2 || got.Edits[1].Path != filepath.Join(f.Root, "b.go") && got.Edits[0].Path != filepath.Join(f.Root, "b.go") || got.Edits[0].New != "better" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := f.Ask(t.Context(), lsp.Hover, at(t, f, "a.go", "name")); err != nil || got.Text != "func \x1b[31mname\nits text" {
		t.Errorf("%q, %v", got.Text, err)
	}
	if got, err := f.Ask(t.Context(), lsp.Callers, at(t, f, "a.go", "name")); err != nil || len(got.Places) != 1 || got.Places[0].Within != "caller" {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = folder(t, lsptest.FaultCreates, files).Ask(t.Context(), lsp.Rename, renamed(at(t, f, "a.go", "name"), "better"))
	if err == nil || !strings.Contains(err.Error(), "would also create files") {
		t.Error(err)
	}
}

// Problems returns the problems of the current file content, without hints.
func TestProblems(t *testing.T) {
	t.Parallel()
	f := folder(t, "", map[string]string{"a.go": "package a\n"})
	file := filepath.Join(f.Root, "a.go")
	for _, c := range []struct{ text, want string }{
		{"package a\n", "[]"}, {"package a\nbroken\n", "[2: undefined: ␛[31mbroken]"}, {"package a\n\nbroken\n", "[3: undefined: ␛[31mbroken]"},
	} {
		write(t, file, c.text)
		if got, err := f.Ask(t.Context(), lsp.Problems, lsp.SymbolPosition{Path: file}); err != nil || fmt.Sprint(got.Problems) != c.want {
			t.Errorf("%q: %q, %v", c.text, got.Problems, err)
		}
	}
}

// No program of the workspace is started. If a language has no server program, the error names the
// missing program.
func TestProgramsOfTheWorkspace(t *testing.T) {
	t.Parallel()
	f := folder(t, "", map[string]string{"a.go": "package a\n", "a.py": "x = 1\n"})
	if _, err := f.Ask(t.Context(), lsp.Definition, at(t, f, "a.py", "x")); err == nil || !strings.Contains(err.Error(), "pyright-langserver is not in PATH; install pyright") {
		t.Error(err)
	}
	bin := filepath.Join(f.Root, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "gopls"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := lsp.Find(lsp.Languages[0], f.Root, []string{"PATH=" + bin}); err == nil {
		t.Error("a program of the workspace is found")
	}
}

// Whatever happens to the files between calls, each answer uses their current content.
func TestNoStaleAnswer(t *testing.T) {
	t.Parallel()
	f := folder(t, "", map[string]string{"a.go": "package a\nvar name = 1\n"})
	names := []string{"a.go", "b.go", "c.go"}
	rapid.Check(t, func(r *rapid.T) {
		for range 10 {
			file := filepath.Join(f.Root, rapid.SampledFrom(names).Draw(r, "file"))
			if rapid.IntRange(0, 4).Draw(r, "remove") == 0 && filepath.Base(file) != "a.go" {
				_ = os.Remove(file)
			} else {
				lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "// 𝄞", "var x = name", "var name = 2\r", "name()"}), 0, 4).Draw(r, "lines")
				write(t, file, "package a\nvar name = 1\n"+strings.Join(lines, "\n"))
			}
			want := 0
			for _, name := range names {
				content, _ := os.ReadFile(filepath.Join(f.Root, name))
				want += strings.Count(string(content), "name")
			}
			got, err := f.Ask(t.Context(), lsp.References, at(t, f, "a.go", "name"))
			if err != nil || got.Total != want {
				r.Fatalf("%v, want %d places: %v", shown(t, f, got.Places), want, err)
			}
			for _, place := range shown(t, f, got.Places) {
				if !strings.HasSuffix(place, "=name") {
					r.Fatal(place)
				}
			}
		}
	})
}
