package atcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/history"
	"agent/internal/testing/fifo"
)

const png = "\x89PNG\r\n\x1a\n\x00rest"

// space makes a workspace with files. A name that ends in / is a folder.
func space(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func expand(t *testing.T, root, text string) Expansion {
	t.Helper()
	got, err := Expand(t.Context(), TypedMessage(text), Options{Root: root})
	if err != nil {
		t.Fatalf("Expand(%q): %v", text, err)
	}
	return got
}

func included(e Expansion) []string {
	var paths []string
	for _, i := range e.Included {
		paths = append(paths, i.Path)
	}
	return paths
}

// TestBlocks covers D-18. A message has the text byte for byte, and then one block for each file,
// in the only format that the parser accepts.
func TestBlocks(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"a.go": "package a\n", "no end": "x\ny", "empty": ""})
	const text = "  why @a.go,\r\n@\"no end\" and @empty?\n\n"
	got := expand(t, root, text)
	want := []history.Block{
		&history.Text{Text: text},
		history.NewInclusion("a.go", "package a\n"),
		history.NewInclusion("no end", "x\ny"),
		history.NewInclusion("empty", ""),
	}
	if diff := cmp.Diff(toJSON(t, want), toJSON(t, got.Blocks)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	wantIncluded := []IncludedFile{{Path: "a.go", Lines: 1, Bytes: 10}, {Path: "no end", Lines: 2, Bytes: 3}, {Path: "empty"}}
	if diff := cmp.Diff(wantIncluded, got.Included); diff != "" {
		t.Errorf("included (-want +got):\n%s", diff)
	}
	for i, block := range got.Blocks[1:] {
		if text := block.(*history.Text); text.IncludedFile != wantIncluded[i].Path {
			t.Errorf("block %d carries the path %q, want %q", i, text.IncludedFile, wantIncluded[i].Path)
		}
	}
}

func toJSON(t *testing.T, blocks []history.Block) string {
	t.Helper()
	data, err := history.New(history.Human, blocks...).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWhatIsIncluded(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{
		".gitignore": "*.log\n", "a.go": "a", "b.go": "b", "c.log": "c", "src/x.go": "x", "src/deep/y.go": "y",
		"src/z.log": "z", "src/b.bin": "\x00", "logs/only.log": "l", "empty/": "",
	})
	link(t, "a.go", filepath.Join(root, "link.go"))
	link(t, filepath.Join(root, "src"), filepath.Join(root, "absolute"))
	link(t, "../src", filepath.Join(root, "empty", "up"))
	for _, test := range []struct {
		name, text string
		want       []string
		skipped    []SkippedPath
	}{
		{"nothing", "mail a@b.c", nil, nil},
		{"a folder", "@src/", []string{"src/deep/y.go", "src/x.go"}, []SkippedPath{{"src/b.bin", string(binary)}}},
		{"a folder without slash", "@src/deep", []string{"src/deep/y.go"}, nil},
		{"a folder by a link", "@absolute/deep/", []string{"absolute/deep/y.go"}, nil},
		{"a glob", "@*.go", []string{"a.go", "b.go"}, nil},
		{"a deep glob", "@**/*.go", []string{"a.go", "b.go", "src/deep/y.go", "src/x.go"}, nil},
		{"a glob below a folder", "@src/*.go", []string{"src/x.go"}, nil},
		{"a quoted glob", `@"src/**/y*"`, []string{"src/deep/y.go"}, nil},
		{"an ignored file by name", "@c.log", []string{"c.log"}, nil},
		{"twice", "@a.go @a.go", []string{"a.go"}, nil},
		{"twice in other spellings", "@a.go @./a.go @src/../a.go @" + root + "/a.go @link.go @\"a.go\"", []string{"a.go"}, nil},
		{"a file and its folder", "@src/x.go @src/deep/y.go @src/deep/", []string{"src/x.go", "src/deep/y.go"}, nil},
		{"a folder with nothing to read", "@logs/", nil, []SkippedPath{{"logs/", string(nothingToRead)}}},
		{"an empty folder", "@empty/", nil, []SkippedPath{{"empty/up", string(linkToFolder)}}},
		{"a word", "@Override and @Override", nil, []SkippedPath{{"@Override", "there is no such file; agent sent the mention as plain text"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := expand(t, root, test.text)
			if diff := cmp.Diff(test.want, included(got)); diff != "" {
				t.Errorf("included (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.skipped, got.Skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if len(got.Blocks) != 1+len(got.Included) {
				t.Errorf("%d blocks for %d files", len(got.Blocks), len(got.Included))
			}
		})
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// TestRefused mentions paths that exist but cannot be included. No mention may block or read
// outside the workspace.
func TestRefused(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{
		"in.txt": "in", "nul": "text\x00", "late": strings.Repeat("x", sniffed) + "\x00", "latin": "caf\xe9",
		"pic.png": png, "huge": strings.Repeat("x", MaxFileBytes+1), "locked": "x", "shut/in": "x", "odd\x1bname": "x", "sub/": "",
	})
	secret := space(t, map[string]string{"secret": "SECRET", "dir/secret": "SECRET"})
	link(t, filepath.Join(secret, "secret"), filepath.Join(root, "out"))
	link(t, secret, filepath.Join(root, "outdir"))
	link(t, "nowhere", filepath.Join(root, "broken"))
	link(t, "loop", filepath.Join(root, "loop"))
	link(t, "/dev/zero", filepath.Join(root, "zero"))
	for name, err := range map[string]error{
		"fifo":   fifo.Make(t, filepath.Join(root, "fifo")),
		"locked": os.Chmod(filepath.Join(root, "locked"), 0),
		"shut":   os.Chmod(filepath.Join(root, "shut"), 0),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "shut"), 0o700) })
	relative, err := filepath.Rel(root, filepath.Join(secret, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		want refusal
		user bool // needs a user without the permissions of root
	}{
		{"nul", binary, false},
		{"late", binary, false},
		{"latin", notText, false},
		{"pic.png", "the image is broken: unexpected EOF", false},
		{"huge", tooLarge, false},
		{"fifo", notAFile, false},
		{"zero", outside, false},
		{"/dev/zero", outside, false},
		{"out", outside, false},
		{"outdir/secret", outside, false},
		{"outdir/", outside, false},
		{"broken", brokenLink, false},
		{"loop", brokenLink, false},
		{filepath.Join(secret, "secret"), outside, false},
		{relative, outside, false},
		{"../", outside, false},
		{"sub/../../", outside, false},
		{"odd\x1bname", oddName, false},
		{"locked", unreadable, true},
		{"shut/in", unreadable, true},
		{"shut/", unreadable, true},
	} {
		t.Run(strings.ReplaceAll(test.path, "/", "|"), func(t *testing.T) {
			t.Parallel()
			if test.user && os.Geteuid() == 0 {
				t.Skip("permissions do not bind root")
			}
			got := expand(t, root, "read @"+test.path+" please")
			if diff := cmp.Diff([]SkippedPath{{test.path, string(test.want)}}, got.Skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if len(got.Blocks) != 1 {
				t.Errorf("blocks: %s", toJSON(t, got.Blocks))
			}
		})
	}
}

// The same rules apply to the contents of a folder as to files that are named directly.
func TestFolderNeverLeadsOutside(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"d/in": "in", "d/nul1": "\x00", "d/nul2": "\x00"})
	secret := space(t, map[string]string{"secret": "SECRET"})
	link(t, filepath.Join(secret, "secret"), filepath.Join(root, "d", "out"))
	if err := fifo.Make(t, filepath.Join(root, "d", "fifo")); err != nil {
		t.Fatal(err)
	}
	got := expand(t, root, "@d/")
	if diff := cmp.Diff([]string{"d/in"}, included(got)); diff != "" {
		t.Errorf("included (-want +got):\n%s", diff)
	}
	want := []SkippedPath{{"d/: 2 files (d/nul1, …)", string(binary)}, {"d/out", string(outside)}}
	if diff := cmp.Diff(want, got.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// A secret file becomes part of a message only if the user types its own name. A folder, a pattern,
// a link with another name, or a command never includes it. A denied file is never included (D-60,
// D-121).
func TestKeysAreIncludedByNameAlone_D60(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"d/a": "a", "d/.env": "KEY", ".env": "KEY", "b": "b", "denied": "D"})
	link(t, ".env", filepath.Join(root, "innocent"))
	link(t, "denied", filepath.Join(root, "harmless"))
	options := Options{Root: root, Kept: func(file string) (string, bool) {
		switch filepath.Base(file) {
		case ".env":
			return "it may hold keys", false
		case "denied":
			return "deny Read(denied)", true
		}
		return "", false
	}}
	for text, want := range map[string][]string{
		"@d/": {"d/a"}, "@d": {"d/a"}, "@.env*": nil, "@**": {"b", "d/a"}, "@innocent": nil, "@denied": nil, "@harmless": nil, "@./": {"b", "d/a"},
		"@.env": {".env"}, "@d/.env": {"d/.env"}, "@b": {"b"},
	} {
		got, err := Expand(t.Context(), TypedMessage(text), options)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, included(got), cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("%s included (-want +got):\n%s", text, diff)
		}
		if left := fmt.Sprint(got.Skipped); (strings.Contains(left, "it may hold keys; to include it, type its exact name") || strings.Contains(left, "deny Read(denied)")) == slices.Contains([]string{"@.env", "@d/.env", "@b"}, text) {
			t.Errorf("%s: left out are %s", text, left)
		}
	}
	for file, want := range map[string]string{".env": "it may hold keys", "d/.env": "it may hold keys", "innocent": "it may hold keys", "denied": "deny Read(denied)", "d": "it may hold keys", "b": ""} {
		got, err := Expand(t.Context(), Message{{Text: "/fix"}, {File: file}}, options)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(got.Blocks); strings.Contains(text, "KEY") || !strings.Contains(fmt.Sprint(got.Skipped), want) || (want == "") != (len(got.Skipped) == 0) {
			t.Errorf("a command that names %s: %s, left out %v", file, text, got.Skipped)
		}
	}
}

func TestLimitsOfAMessage(t *testing.T) {
	t.Parallel()
	files := map[string]string{"first": "x"}
	for i := range MaxFiles + 3 {
		files[fmt.Sprintf("many/%03d", i)] = "x"
	}
	for i := range MaxMessageBytes/MaxFileBytes + 1 {
		files[fmt.Sprintf("large/%d", i)] = strings.Repeat("x", MaxFileBytes)
	}
	root := space(t, files)

	got := expand(t, root, "@first @many/")
	if len(got.Included) != MaxFiles {
		t.Errorf("%d files included, want %d", len(got.Included), MaxFiles)
	}
	if diff := cmp.Diff([]SkippedPath{{"many/: 4 files (many/199, …)", string(tooMany)}}, got.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}

	got = expand(t, root, "@large/ @first")
	if len(got.Included) != MaxMessageBytes/MaxFileBytes {
		t.Errorf("%d files included, want %d", len(got.Included), MaxMessageBytes/MaxFileBytes)
	}
	want := []SkippedPath{{"large/8", string(tooMuch)}, {"first", string(tooMuch)}}
	if diff := cmp.Diff(want, got.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}

	got = expand(t, root, strings.Repeat("@word ", 2*maxMentions))
	if len(got.Skipped) != 2 || !strings.Contains(got.Skipped[0].Reason, fmt.Sprint(maxMentions)) {
		t.Errorf("skipped %v", got.Skipped)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{
		"main.go": "", "cmd/main.go": "", "internal/settings/settings.go": "", "README.md": "", "config.json": "", "ignored.go": "", ".gitignore": "ignored.go\n",
	})
	for _, test := range []struct {
		text string
		want []MissingPath
	}{
		{"@mian.go", []MissingPath{{"mian.go", []string{"main.go", "cmd/main.go"}}}},
		{"@settings.go", []MissingPath{{"settings.go", []string{"internal/settings/settings.go"}}}},
		{"@readme.md?", []MissingPath{{"readme.md", []string{"README.md"}}}},
		{"@src/conifg.json!", []MissingPath{{"src/conifg.json", []string{"config.json"}}}},
		{"@cmd/qqq.x", []MissingPath{{"cmd/qqq.x", nil}}},
		{"@/qqq.x", []MissingPath{{"/qqq.x", nil}}},
		{`@"main"`, []MissingPath{{"main", []string{"main.go", "cmd/main.go"}}}},
		{"@*.rs", []MissingPath{{"*.rs", nil}}},
		{"@cmd/x.y and @main.go and @cmd/x.y, @cmd/z/", []MissingPath{{"cmd/x.y", nil}, {"cmd/z/", nil}}},
	} {
		t.Run(strings.ReplaceAll(test.text, "/", "|"), func(t *testing.T) {
			t.Parallel()
			got, err := Expand(t.Context(), TypedMessage(test.text), Options{Root: root})
			var missing *MissingError
			if !errors.As(err, &missing) {
				t.Fatalf("error %v, want a *MissingError", err)
			}
			if len(got.Blocks) != 0 {
				t.Errorf("there are blocks to send: %s", toJSON(t, got.Blocks))
			}
			if diff := cmp.Diff(test.want, missing.Missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

// Words that can't be a path of the workspace stay text. Without a user to ask, every word without
// a file does. The backslash of an escaped @ is removed, except in code and data.
func TestNoFileStaysText(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"main.go": "", "cmd/main.go": ""})
	for _, test := range []struct {
		text, sent string
		unattended bool
		skipped    int
	}{
		{text: "@click.argument, @types/node @vue/cli and @pytest.mark.parametrize", skipped: 4},
		{text: "(and so `@click.argument`) `@mian.go`"},
		{text: `@mian.go @cmd/qqq.x @"main" @*.rs`, unattended: true, skipped: 4},
		{text: `a \@click.argument and \@mian.go`, sent: `a @click.argument and @mian.go`},
		{text: "`\\@x.y` \\@z.go\n```\n\\@x\n```", sent: "`\\@x.y` @z.go\n```\n\\@x\n```"},
		{text: `a\\@b`},
	} {
		got, err := Expand(t.Context(), TypedMessage(test.text), Options{Root: root, Unattended: test.unattended})
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		want := test.sent
		if want == "" {
			want = test.text
		}
		if sent := got.Blocks[0].(*history.Text).Text; sent != want || len(got.Skipped) != test.skipped || len(got.Included) > 0 {
			t.Errorf("%s: sent %q, skipped %v, included %v", test.text, sent, got.Skipped, got.Included)
		}
	}
	pasted := Message{{Text: `\@a `}, {Text: `\@b`, Source: history.SourcePasted}}
	if got, err := Expand(t.Context(), pasted, Options{Root: root}); err != nil || got.Blocks[0].(*history.Text).Text != `@a \@b` {
		t.Errorf("%v, %v", got.Blocks, err)
	}
}

func TestMissingErrorStatesTheNextStep(t *testing.T) {
	t.Parallel()
	err := &MissingError{[]MissingPath{{"mian.go", []string{"main.go", "cmd/main.go"}}, {"x.y", nil}}}
	const want = `not sent: no file @mian.go (did you mean main.go or cmd/main.go?) and no file @x.y. To write an @ that names no file, write \@`
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestExpandFailsForABadWorkspaceAndAnEndedContext(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"a": ""})
	if _, err := Expand(t.Context(), TypedMessage("@a"), Options{Root: filepath.Join(root, "gone")}); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("error %v, want one that names the workspace", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	if _, err := Expand(ctx, TypedMessage("@a"), Options{Root: root}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
}

func FuzzExpand(f *testing.F) {
	root := f.TempDir()
	for _, name := range []string{"a", "b.go", "c d"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	for _, seed := range []string{"@a", "@./a @b.go.", `@"c d" @c\ d`, "@/etc/passwd", "@../a @a/../b.go", "@*", "@\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Expand(t.Context(), TypedMessage(text), Options{Root: root})
		var missing *MissingError
		if err != nil {
			if !errors.As(err, &missing) {
				t.Fatal(err)
			}
			return
		}
		if first := got.Blocks[0].(*history.Text); first.Text != text {
			t.Fatalf("text %q became %q", text, first.Text)
		}
		if len(got.Included) > 3 || len(got.Blocks) != 1+len(got.Included) {
			t.Fatalf("%d blocks, included %v", len(got.Blocks), got.Included)
		}
	})
}

func TestShownGetsWhatTheModelReads(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("no newline"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	_, err = Expand(t.Context(), TypedMessage("@link"), Options{Root: root, Shown: func(path string, content []byte) { shown[path] = string(content) }})
	if err != nil || len(shown) != 1 || shown[filepath.Join(root, "a.txt")] != "no newline" {
		t.Errorf("shown %v, %v", shown, err)
	}
}
