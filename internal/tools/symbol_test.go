package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/compression/cacheaware"
	"agent/internal/lsp"
	"agent/internal/sandbox"
	"agent/internal/testing/lsptest"
	"agent/internal/tokens"
	"agent/internal/toolspec"
)

// servers opens the workspace of an Env for language servers. It uses the test server with a fault,
// or the real servers if environ is nil.
func servers(t testing.TB, env *Env, environ []string) *lsp.Folder {
	t.Helper()
	root := env.Workspace.Root()
	cache, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := new(lsp.Pool).Open(lsp.Config{
		Root: root, Cache: cache,
		Environ:  func() []string { return environ },
		Confined: func() sandbox.Confinement { return sandbox.Confinement{} },
		Files: func(ctx context.Context, keep func(string) bool) ([]string, error) {
			base, files, err := env.Workspace.Files(ctx, root, keep)
			for i := range files {
				files[i] = filepath.Join(base, files[i])
			}
			return files, err
		},
	})
	t.Cleanup(f.Close)
	return f
}

var symbolFiles = map[string]string{
	"a/a.go": "package a\n\n// It is a name.\nfunc Name() int {\n\treturn 1\n}\n\ntype T struct{}\n\nfunc (T) Name() {}\n",
	"b/b.go": "package b\n\nvar x = Name() + Name()\n\nfunc Only() {} // 𝄞 Only\r\n",
	"d/d.go": "package d\n\nvar Twice = 1\n\ntype U struct{}\n\nfunc (U) Twice() {}\n",
	"c.txt":  "Name\n",
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, symbolFiles)
	symbol := SymbolTool(servers(t, env, lsptest.Environ(t, "")))
	for _, c := range []struct {
		args params
		want string
	}{
		{params{"op": "definition", "name": "Only"}, "[Only, lines 5-5 of b/b.go]\nfunc Only() {}"},
		{params{"op": "definition", "name": "T.Name"}, "[T.Name, lines 10-10 of a/a.go]\nfunc (T) Name() {}"},
		{params{"op": "definition", "name": "a.Name"}, "[Name, lines 3-6 of a/a.go]\n// It is a name.\nfunc Name() int {\n\treturn 1\n}"},
		{params{"op": "definition", "name": "Name", "file": "b/b.go", "line": 3}, "[Name, lines 3-6 of a/a.go]\n// It is a name.\nfunc Name() int {\n\treturn 1\n}"},
		{params{"op": "definition", "name": "U.Twice"}, "[U.Twice, lines 7-7 of d/d.go]\nfunc (U) Twice() {}"},
		{params{"op": "definition", "name": "d.U.Twice"}, "[U.Twice, lines 7-7 of d/d.go]\nfunc (U) Twice() {}"},
		{params{"op": "references", "name": "Only"}, "b/b.go:5: func Only() {} // 𝄞 Only\n[2 places in 1 file]\n"},
		{params{"op": "references", "name": "Name", "file": "b/b.go", "line": 2}, "a/a.go\n4: func Name() int {\n10: func (T) Name() {}\nb/b.go:3: var x = Name() + Name()\n[4 places in 2 files]\n[line 2 does not have the name; used line 3]\n"},
		{params{"op": "references", "name": "Name"}, "Name is declared twice; name one of these by file and line:\na/a.go:4: func Name() int {\na/a.go:10: func (T) Name() {}"},
		{params{"op": "callers", "name": "Only"}, "b/b.go:1: package b  [in caller]\n[1 call in 1 file]\n"},
		{params{"op": "hover", "name": "Only"}, "func \x1b[31mOnly\nits text"},
		{params{"op": "uses", "name": "Only"}, `unknown op "uses" (valid: definition, references, callers, hover, rename)`},
		{params{"op": "references", "name": "Missing"}, "no file with a language server contains the name Missing"},
		{params{"op": "references", "name": "!"}, `"!" is not an identifier; give a name such as Name or Type.Method`},
		{params{"op": "references", "name": "Name", "file": "c.txt"}, "c.txt: no language server supports this kind of file; use search_file_content"},
		{params{"op": "references", "name": "Name", "line": 3}, "a line needs its file"},
		{params{"op": "references", "name": "Name", "file": "../a.go"}, "outside"},
	} {
		answer := call(t, env, symbol, c.args)
		if got := answer.Text + answer.Error; strings.TrimSpace(got) != strings.TrimSpace(c.want) && !(c.want == "outside" && strings.Contains(got, c.want)) {
			t.Errorf("%v:\n%s\nwant:\n%s", c.args, got, c.want)
		}
	}
}

// The number of locations from a server is limited, and they are in the workspace.
func TestSymbolBounds(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		lsptest.FaultOutside: "b/b.go:5: func Only() {} // 𝄞 Only\n[2 places in 1 file]\n[omitted: 1 place outside of the workspace or in hidden or changed files]\n",
		lsptest.FaultBeyond:  "The language server knows no place of Only.\n[omitted: 2 places outside of the workspace or in hidden or changed files]\n",
		lsptest.FaultNull:    "The language server knows no place of Only.",
		lsptest.FaultMany:    "",
	} {
		env := fileEnv(t, symbolFiles)
		answer := call(t, env, SymbolTool(servers(t, env, lsptest.Environ(t, fault))), params{"op": "references", "name": "Only"})
		if got := answer.Text + answer.Error; want != "" && strings.TrimSpace(got) != strings.TrimSpace(want) || len(got) > 4000 {
			t.Errorf("%s:\n%s\nwant:\n%s", fault, got, want)
		}
	}
}

// If a string contains the name and the line contains it again later, the tool asks about the later
// one.
func TestSymbolAfterAString(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.go": "package a\n\nvar m = \"known\" + known\n", "b.go": "package a\n\nvar known = 1\n"})
	folder := servers(t, env, lsptest.Environ(t, lsptest.FaultStrings))
	got := call(t, env, SymbolTool(folder), params{"op": "references", "name": "known", "file": "a.go", "line": 3})
	if !strings.Contains(got.Text, "b.go:3: ") {
		t.Errorf("%s%s", got.Text, got.Error)
	}
	if _, err := planCall(t.Context(), t, RenameTool(folder), env, params{"op": "rename", "name": "known", "file": "a.go", "line": 3, "new_name": "other"}); err != nil {
		t.Error(err)
	}
}

// A server that only knows the open files outside its project receives all files with the name.
func TestSymbolOutsideOfTheProject(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.py": "known = 1\n", "b.py": "known()\n", "c.py": "unknown()\n"})
	folder := servers(t, env, lsptest.Environ(t, lsptest.FaultClosed, "pyright-langserver"))
	got := call(t, env, SymbolTool(folder), params{"op": "references", "name": "known"})
	if strings.TrimSpace(got.Text) != "a.py:1: known = 1\nb.py:1: known()\n[2 places in 2 files]" {
		t.Errorf("%q%s", got.Text, got.Error)
	}
	plan, err := planCall(t.Context(), t, RenameTool(folder), env, params{"op": "rename", "name": "known", "new_name": "other"})
	if err != nil || strings.Join(plan.Preview.Paths, " ") != "a.py b.py" {
		t.Error(plan.Preview.Paths, err)
	}
}

// If the answer for a use lacks the declaration, the tool also asks at the declaration.
func TestSymbolWithoutItsDeclaration(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.py": "from z import known\n", "z.py": "known = 1\n"})
	folder := servers(t, env, lsptest.Environ(t, lsptest.FaultLoses, "pyright-langserver"))
	got := call(t, env, SymbolTool(folder), params{"op": "references", "name": "known", "file": "a.py", "line": 1})
	if strings.TrimSpace(got.Text) != "a.py:1: from z import known\nz.py:1: known = 1\n[2 places in 2 files]" {
		t.Errorf("%q%s", got.Text, got.Error)
	}
}

// The first answer of a server that is still analyzing types does not count.
func TestSymbolOfAServerThatLearns(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.py": "known = 1\nknown()\n"})
	folder := servers(t, env, lsptest.Environ(t, lsptest.FaultGrows, "pyright-langserver"))
	got := call(t, env, SymbolTool(folder), params{"op": "references", "name": "known"})
	if strings.TrimSpace(got.Text) != "a.py\n1: known = 1\n2: known()\n[2 places in 1 file]" {
		t.Errorf("%q%s", got.Text, got.Error)
	}
}

// If a rename keeps the imported name, the other files stay unchanged.
func TestRenameOfAnImport(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.py": "from b import known\n", "b.py": "known = 1\n"})
	folder := servers(t, env, lsptest.Environ(t, lsptest.FaultKeeps, "pyright-langserver"))
	plan, err := planCall(t.Context(), t, RenameTool(folder), env, params{"op": "rename", "name": "known", "file": "a.py", "line": 1, "new_name": "other"})
	if err != nil || strings.Join(plan.Preview.Paths, " ") != "a.py" {
		t.Error(plan.Preview.Paths, err)
	}
}

// A rename is refused if the definition of a macro contains the name, because the build would fail.
func TestRenameInAMacro(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{
		"a.c": "int used;\nint alone;\nint parameter;\nint after;\n#define GET(a) \\\n\t((a) + used)\n#define PUT(parameter) parameter\nint z = after;\n",
	})
	folder := servers(t, env, lsptest.Environ(t, "", "clangd"))
	for name, want := range map[string]string{"used": "a macro has the name too, which the server does not rename:\na.c:6: \t((a) + used)", "alone": "", "parameter": "", "after": ""} {
		_, err := planCall(t.Context(), t, RenameTool(folder), env, params{"op": "rename", "name": name, "file": "a.c", "new_name": "other"})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A rename is a call of an edit tool. Its plan shows all files, it is applied as shown, it can be
// undone, and it is refused if a file has changed.
func TestRename(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, symbolFiles)
	snapshots(t, env)
	env.Snapshots.BeginTurn("rename")
	folder := servers(t, env, lsptest.Environ(t, ""))
	registry := NewRegistry(append(Default(), SymbolTool(folder), RenameTool(folder))...)
	meant := registry.Translate(SymbolName, `{"op":"rename","name":"Name","file":"b/b.go","line":3,"new_name":"Other"}`)
	if meant.Name != RenameName || registry.Translate(SymbolName, `{"op":"references","name":"x"}`).Name != SymbolName {
		t.Fatal(meant.Name)
	}
	plan, err := RenameTool(folder).PlanCall(t.Context(), env, meant.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if p := plan.Preview; p.ReadOnly || p.Title != "rename Name to Other: edit a/a.go, b/b.go" || strings.Join(p.Paths, " ") != "a/a.go b/b.go" || strings.Count(p.Diff, "\n+") != 5 {
		t.Errorf("%+v", p)
	}
	answer := plan.Apply(t.Context())
	if answer.Text != "Renamed Name to Other at 4 places.\nchanged: a/a.go, b/b.go\nStill named Name:\nc.txt:1: Name\n" {
		t.Errorf("%q %s", answer.Text, answer.Error)
	}
	if files, _ := toolspec.ParseReport(answer.Text); strings.Join(files, " ") != "a/a.go b/b.go" {
		t.Error(files)
	}
	text := func(name string) string {
		content, _ := os.ReadFile(filepath.Join(env.Workspace.Root(), name))
		return string(content)
	}
	if got := text("b/b.go"); got != strings.ReplaceAll(symbolFiles["b/b.go"], "Name", "Other") {
		t.Errorf("%q", got)
	}
	if len(answer.Changed) != 2 {
		t.Errorf("kept for undo: %v", answer.Changed)
	}
	undo, err := env.Snapshots.PlanUndo(t.Context())
	if err == nil {
		_, err = env.Snapshots.Apply(undo)
	}
	if err != nil || text("a/a.go") != symbolFiles["a/a.go"] || text("b/b.go") != symbolFiles["b/b.go"] {
		t.Errorf("not undone: %v", err)
	}
	env.Seen = NewSeenFiles()
	plan, err = RenameTool(folder).PlanCall(t.Context(), env, arguments.Parse([]byte(`{"op":"rename","name":"Only","new_name":"Other"}`)))
	if err != nil {
		t.Fatal(err)
	}
	changed := text("b/b.go") + "// more\n"
	if err := os.WriteFile(filepath.Join(env.Workspace.Root(), "b/b.go"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if answer := plan.Apply(t.Context()); answer.Error == "" || text("b/b.go") != changed {
		t.Errorf("%+v", answer)
	}
}

// After a rename, the places that still have the name are listed: in strings and comments of the changed
// files, and in other files that the model may read.
func TestRenameListsWhatRemains(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.go": "package a\n\nvar Store = \"Store\" // ReStore Store2\n\nvar id = 1\n", "README.md": "id\n\n\tUse a\u202e Store.\n",
		"code.pyx": "Store = 1\n", ".env": "Store=key\n", ".gitignore": "out\n", "out/x": "Store\n", "binary": "Store\x00\n",
	}
	remains := func(name string) (string, error) {
		env := fileEnv(t, files)
		plan, err := planCall(t.Context(), t, RenameTool(servers(t, env, lsptest.Environ(t, lsptest.FaultStrings))), env, params{"op": "rename", "name": name, "new_name": "Other", "file": "a.go"})
		if err != nil {
			return "", err
		}
		answer := plan.Apply(t.Context())
		after, _ := os.ReadFile(filepath.Join(env.Workspace.Root(), "a.go"))
		if want := strings.Replace(files["a.go"], "var "+name, "var Other", 1); answer.Error != "" || string(after) != want {
			t.Errorf("%q, want %q, %s", after, want, answer.Error)
		}
		return plan.Preview.Note, nil
	}
	const want = "Still named Store:\na.go:3: var Other = \"Store\" // ReStore Store2\nREADME.md:3: Use a<U+202E> Store.\ncode.pyx:1: Store = 1"
	if got, err := remains("Store"); got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := remains("id"); got != "" || err != nil {
		t.Errorf("a short name: %q, %v", got, err)
	}
	for count, want := range map[int]string{7: "\nmany:7: Store", 8: "\nand 1 more", 500: "\nand 493 more", 5000: "\nand more than 990 more"} {
		files["many"] = strings.Repeat("Store\n", count)
		if got, err := remains("Store"); !strings.HasSuffix(got, want) || err != nil {
			t.Errorf("%d: %q, %v", count, got, err)
		}
	}
}

// A rename changes no file that a link in the workspace leads to, even if the server follows links.
func TestRenameOfLinkedFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program, linked, declares string
		files                     map[string]string
	}{
		{"gopls", "b.go", "package linked\n\nfunc Known() {}\n", map[string]string{
			"go.mod": "module m\n\ngo 1.21\n", "a.go": "package m\n\nimport \"m/linked\"\n\nfunc use() { linked.Known() }\n",
		}},
		{"typescript-language-server", "b.ts", "export function Known() {}\n", map[string]string{"tsconfig.json": "{}\n", "a.ts": "import { Known } from './linked/b'\nKnown()\n"}},
		{"pyright-langserver", "b.py", "def Known():\n    pass\n", map[string]string{"a.py": "from linked.b import Known\nKnown()\n"}},
		{"clangd", "b.h", "void Known(void);\n", map[string]string{
			"a.c": "#include \"linked/b.h\"\nvoid use(void) { Known(); }\n", "compile_commands.json": `[{"directory": "ROOT", "file": "a.c", "command": "cc -c a.c"}]`,
		}},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip(c.program + " is not installed")
			}
			env, outside := fileEnv(t, c.files), t.TempDir()
			if text := c.files["compile_commands.json"]; text != "" {
				writeTestFile(t, env.Workspace.Root(), "compile_commands.json", strings.Replace(text, "ROOT", env.Workspace.Root(), 1))
			}
			file := filepath.Join(outside, c.linked)
			if err := errors.Join(os.WriteFile(file, []byte(c.declares), 0o600), os.Symlink(outside, filepath.Join(env.Workspace.Root(), "linked"))); err != nil {
				t.Fatal(err)
			}
			name := "a" + filepath.Ext(c.linked)
			if c.program == "clangd" {
				name = "a.c"
			}
			for _, asked := range []string{name, filepath.Join("linked", c.linked)} {
				answer := call(t, env, RenameTool(servers(t, env, os.Environ())), params{"op": "rename", "name": "Known", "new_name": "Other", "file": asked})
				inside, _ := os.ReadFile(filepath.Join(env.Workspace.Root(), name))
				after, err := os.ReadFile(file)
				renamed := answer.Error == "" || string(inside) != c.files[name]
				if string(after) != c.declares || renamed && c.program != "typescript-language-server" { // it renames the import: { Known as Other }
					t.Errorf("%s: %q and %q, %v, %+v", asked, after, inside, err, answer)
				}
			}
		})
	}
}

// Edits of a server that do not match the files are refused, and nothing is written.
func TestBadRenames(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		lsptest.FaultOutside:  "would change too: it is outside of the workspace",
		lsptest.FaultBeyond:   "the file has no such line",
		lsptest.FaultOverlaps: "the edits of the language server overlap",
		lsptest.FaultOther:    `the language server would replace "package", not Only`,
		lsptest.FaultCreates:  "would also create files, which is not supported",
		lsptest.FaultNull:     "the language server can't rename Only there",
		"":                    `new_name "a b" is not a name`,
	} {
		env := fileEnv(t, symbolFiles)
		name := "Other"
		if fault == "" {
			name = "a b"
		}
		_, err := planCall(t.Context(), t, RenameTool(servers(t, env, lsptest.Environ(t, fault))), env, params{"op": "rename", "name": "Only", "new_name": name})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fault, err, want)
		}
	}
}

// The tool adds at most 250 tokens to each request, and density treats its answers like search
// results.
func TestSymbolIsCheap(t *testing.T) {
	t.Parallel()
	symbol, rename := SymbolTool(nil), RenameTool(nil)
	size := tokens.NewCounter(tokens.O200K).Count(symbol.Name + symbol.Description + string(symbol.Parameters()))
	if t.Log(size, "tokens"); size > 250 {
		t.Errorf("%d tokens", size)
	}
	if cacheaware.EffectOf(symbol.Traits) != cacheaware.EffectSearch || !symbol.IsRetrievable() || !symbol.IsHarmless() {
		t.Error("density does not take an answer for a search")
	}
	if cacheaware.EffectOf(rename.Traits) != cacheaware.EffectKeep || rename.IsRetrievable() || !rename.EditsOnly() || !rename.Unoffered {
		t.Error("a rename is no edit")
	}
	var schema struct{ Required []string }
	if err := json.Unmarshal(symbol.Parameters(), &schema); err != nil || fmt.Sprint(schema.Required) != "[op name]" {
		t.Error(schema.Required, err)
	}
}

// Real servers find and rename the same names as their compilers. A missing server is skipped.
func TestRealServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program              string
		files                map[string]string
		name, to, references string
	}{
		{"gopls", map[string]string{
			"go.mod": "module m\n\ngo 1.21\n", "a/a.go": "package a\n\ntype S struct{}\n\nfunc (S) Close() {}\n\nfunc Other() { _ = \"Close\" }\n",
			"b/b.go": "package b\n\nimport \"m/a\"\n\ntype other struct{}\n\nfunc (other) Close() {}\n\nfunc use(s a.S, o other) {\n\ts.Close()\n\to.Close()\n}\n",
		}, "S.Close", "Finish", "a/a.go:5: func (S) Close() {}\nb/b.go:10: \ts.Close()\n[2 places in 2 files]\n"},
		{"typescript-language-server", map[string]string{
			"tsconfig.json": "{}\n", "a.ts": "export class S { close() { return 1 } }\n",
			"b.ts": "import { S } from './a'\nclass O { close() {} }\nnew S().close()\nnew O().close()\n",
		}, "S.close", "finish", "a.ts:1: export class S { close() { return 1 } }\nb.ts:3: new S().close()\n[2 places in 2 files]\n"},
		{"pyright-langserver", map[string]string{
			"a.py": "class S:\n    def close(self):\n        return 1\n",
			"b.py": "import sys\nfrom a import S\n\nclass O:\n    def close(self):\n        pass\n\nS().close()\nO().close()\nif sys.platform == 'win32':\n    S().close()\n",
		}, "S.close", "finish", "a.py:2:     def close(self):\nb.py\n8: S().close()\n11:     S().close()\n[3 places in 2 files]\n"},
		{"clangd", map[string]string{
			"a.h": "int close_it(int x);\n",
			"a.c": "#include \"a.h\"\nint close_it(int x) { return x; }\nint use(void) { return close_it(1); }\n",
		}, "close_it", "finish", "a.c\n2: int close_it(int x) { return x; }\n3: int use(void) { return close_it(1); }\na.h:1: int close_it(int x);\n[3 places in 2 files]\n"},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip(c.program + " is not installed")
			}
			env := fileEnv(t, c.files)
			folder := servers(t, env, os.Environ())
			file := ""
			if c.program == "clangd" {
				file = "a.c"
				commands := fmt.Sprintf(`[{"directory": %q, "file": "a.c", "command": "cc -c a.c"}]`, env.Workspace.Root())
				if err := os.WriteFile(filepath.Join(env.Workspace.Root(), "compile_commands.json"), []byte(commands), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := call(t, env, SymbolTool(folder), params{"op": "references", "name": c.name, "file": file})
			if strings.Contains(got.Text, "is still loading") || strings.Contains(got.Error, "has not answered") {
				t.Skip(c.program + " gets no processor time here")
			}
			if strings.TrimSpace(got.Text) != strings.TrimSpace(c.references) {
				t.Errorf("%s%s\nwant:\n%s", got.Text, got.Error, c.references)
			}
			answer := call(t, env, RenameTool(folder), params{"op": "rename", "name": c.name, "new_name": c.to, "file": file})
			if answer.Error != "" || !strings.HasPrefix(answer.Text, "Renamed ") {
				t.Errorf("%+v", answer)
			}
			if c.program == "clangd" { // its index contains a changed header only after the source file was built again
				if header, err := os.ReadFile(filepath.Join(env.Workspace.Root(), "a.h")); string(header) != "int finish(int x);\n" {
					t.Errorf("%q, %v", header, err)
				}
				return
			}
			word := newSymbolCall(env, folder, symbolArgs{Name: c.name}).word
			got = call(t, env, SymbolTool(folder), params{"op": "references", "name": c.name[:len(c.name)-len(word)] + c.to, "file": file})
			if renamed := strings.ReplaceAll(c.references, word+"(", c.to+"("); strings.TrimSpace(got.Text) != strings.TrimSpace(renamed) {
				t.Errorf("%s%s\nwant:\n%s", got.Text, got.Error, renamed)
			}
			for name, bad := range map[string]string{"a/a.go": "var x int = true\n", "a.py": "x: int = 's'\n"} {
				path := filepath.Join(env.Workspace.Root(), name)
				if lang, _ := lsp.LanguageOf(path); lang.Program != c.program {
					continue
				}
				before, err := folder.Ask(t.Context(), lsp.Problems, lsp.SymbolPosition{Path: path})
				content, _ := os.ReadFile(path)
				if err := errors.Join(err, os.WriteFile(path, append(content, bad...), 0o600)); err != nil {
					t.Fatal(err)
				}
				if after, err := folder.Ask(t.Context(), lsp.Problems, lsp.SymbolPosition{Path: path}); err != nil || len(before.Problems) != 0 || len(after.Problems) != 1 {
					t.Errorf("problems: %v, then %v, %v", before.Problems, after.Problems, err)
				}
			}
		})
	}
}

// A rename of a name that a package imports as itself renames only the second name of the import.
func TestRenameOfAReexport(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pyright-langserver"); err != nil {
		t.Skip("pyright-langserver is not installed")
	}
	env := fileEnv(t, map[string]string{"pkg/b.py": "known = 1\n", "pkg/__init__.py": "from .b import known as known\n", "a.py": "import pkg\n\nprint(pkg.known)\n"})
	answer := call(t, env, RenameTool(servers(t, env, os.Environ())), params{"op": "rename", "name": "known", "file": "a.py", "line": 3, "new_name": "other"})
	var got string
	for _, name := range []string{"pkg/b.py", "pkg/__init__.py", "a.py"} {
		content, _ := os.ReadFile(filepath.Join(env.Workspace.Root(), name))
		got += string(content)
	}
	if got != "known = 1\nfrom .b import known as other\nimport pkg\n\nprint(pkg.other)\n" {
		t.Errorf("%s\n%+v", got, answer)
	}
}
