package tools

import (
	"go/format"
	"path/filepath"
	"strings"
	"testing"
)

const goFile = `// Package shop sells.
package shop

import (
	"fmt"
	"io"
)

// Kind of thing.
type Kind int

// The kinds.
const (
	// Small is little.
	Small Kind = iota
	Large      // big
)

var limit, most = 1, 2

type (
	// Store keeps.
	Store[T any] struct {
		items []T
		size  int
	}
	Opener interface {
		Open(name string) (io.Closer, error)
		Close() error
	}
)

// Put adds.
func (s *Store[T]) Put(item T) {
	s.items = append(s.items, item)
}

func (o *Other) Put() {}

type Other struct{}

func Print() { fmt.Println("}") }
`

func TestOutlineOfGo(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"shop.go": goFile})
	wantResult(t, call(t, env, astReadFile(), params{"file_path": "shop.go"}), `[outline of shop.go, 42 lines; package shop]
4-7|import (2)
9-10|type Kind int
12-17|const Small, Large
19-19|var limit, most
22-26|type Store[T any] struct { 2 fields }
27-30|type Opener interface { Open(name string) (io.Closer, error); Close() error }
33-36|func (s *Store[T]) Put(item T)
38-38|func (o *Other) Put()
40-40|type Other struct{ 0 fields }
42-42|func Print()
`)
	if !env.Seen.IsKnown(filepath.Join(env.Workspace.Root(), "shop.go")) {
		t.Error("a file that was outlined does not count as seen")
	}
}

func TestSymbolOfGo(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"shop.go": goFile})
	put := "// Put adds.\nfunc (s *Store[T]) Put(item T) {\n\ts.items = append(s.items, item)\n}\n"
	for symbol, want := range map[string]string{
		"Print":          "[Print, lines 42-42 of shop.go; package shop]\nfunc Print() { fmt.Println(\"}\") }\n",
		"Store.Put":      "[Store.Put, lines 33-36 of shop.go; package shop]\n" + put,
		"(*Store).Put":   "[Store.Put, lines 33-36 of shop.go; package shop]\n" + put,
		"(*Store).Put()": "[Store.Put, lines 33-36 of shop.go; package shop]\n" + put,
		"Large":          "[Large, lines 16-16 of shop.go; package shop]\nLarge      // big\n",
		"Small":          "[Small, lines 14-15 of shop.go; package shop]\n// Small is little.\n\tSmall Kind = iota\n",
		"type Kind":      "[Kind, lines 9-10 of shop.go; package shop]\n// Kind of thing.\ntype Kind int\n",
		"most":           "[most, lines 19-19 of shop.go; package shop]\nvar limit, most = 1, 2\n",
	} {
		wantResult(t, call(t, env, astReadFile(), params{"file_path": "shop.go", "symbol": symbol}), want)
	}
	mustRefuse(t, env, astReadFile(), params{"file_path": "shop.go", "symbol": "Put"},
		"more than once", "Store.Put (lines 33-36)", "Other.Put (lines 38-38)")
	mustRefuse(t, env, astReadFile(), params{"file_path": "shop.go", "symbol": "Pirnt"}, "does not declare", "did you mean Print (lines 42-42)")
	mustRefuse(t, env, astReadFile(), params{"file_path": "shop.go", "symbol": "Shop.Put"}, "did you mean", "Store.Put")
	mustRefuse(t, env, astReadFile(), params{"file_path": "shop.go", "symbol": "Zzz"}, "to list its declarations, call ast_read_file")
}

func TestOutlineReportsBrokenGo(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n\nfunc (\n", "b.go": "no go at all {{{", "c.go": ""})
	answer := mustRun(t, env, astReadFile(), params{"file_path": "a.go"})
	if !strings.Contains(answer.ModelText(), "because of a syntax error: ") || !strings.Contains(answer.ModelText(), "3-3|func F()") {
		t.Errorf("got %s", answer.ModelText())
	}
	for _, file := range []string{"b.go", "c.go"} {
		if answer := mustRun(t, env, astReadFile(), params{"file_path": file}); !strings.Contains(answer.ModelText(), "because of a syntax error: 1:") {
			t.Errorf("got %s", answer.ModelText())
		}
	}
	mustRefuse(t, env, astEdit(), params{"file_path": "a.go", "symbol": "F", "new_code": "func F() int { return 1 }"}, "has a syntax error", "replace")
}

func TestASTEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, symbol, code, old, new string }{
		{
			"keeps the documentation", "Store.Put", "func (s *Store[T]) Put(item T) {\ns.size++ }",
			"func (s *Store[T]) Put(item T) {\n\ts.items = append(s.items, item)\n}", "func (s *Store[T]) Put(item T) {\n\ts.size++\n}",
		},
		{"brings its documentation", "Kind", "// Kind is new.\ntype Kind  string\n", "// Kind of thing.\ntype Kind int", "// Kind is new.\ntype Kind string"},
		{"member of a group", "Large", "Large Kind=7 // huge", "Large      // big", "Large Kind = 7 // huge"},
		{"member with keyword", "Small", "// Small is tiny.\nconst Small Kind=iota", "// Small is little.\n\tSmall Kind = iota", "// Small is tiny.\n\tSmall Kind = iota"},
		{
			"type of a group", "Opener", "type Opener interface {\nOpen() error\n}",
			"Opener interface {\n\t\tOpen(name string) (io.Closer, error)\n\t\tClose() error\n\t}", "Opener interface {\n\t\tOpen() error\n\t}",
		},
		{"several declarations", "Print", "func Print() { show() }\n\nfunc show() {}", `func Print() { fmt.Println("}") }`, "func Print() { show() }\n\nfunc show() {}"},
		{"variables", "most", "var limit, most = 3,4", "var limit, most = 1, 2", "var limit, most = 3, 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, eol := range []string{"\n", "\r\n"} {
				ends := func(s string) string { return strings.ReplaceAll(s, "\n", eol) }
				env := fileEnv(t, map[string]string{"shop.go": ends(goFile)})
				see(t, env, "shop.go")
				mustRun(t, env, astEdit(), params{"file_path": "shop.go", "symbol": c.symbol, "new_code": c.code})
				if !strings.Contains(goFile, c.old) {
					t.Fatal("the test is wrong")
				}
				wantContent(t, env, "shop.go", ends(strings.Replace(goFile, c.old, c.new, 1)))
			}
		})
	}
}

func TestASTEditLeavesTheRestUnformatted(t *testing.T) {
	t.Parallel()
	ugly := "package a\nfunc   F( ) {}\nfunc G() {}\nvar  x  =  1\n"
	if formatted, err := format.Source([]byte(ugly)); err != nil || string(formatted) == ugly {
		t.Fatal("the test is wrong")
	}
	env := fileEnv(t, map[string]string{"a.go": ugly})
	see(t, env, "a.go")
	mustRun(t, env, astEdit(), params{"file_path": "a.go", "symbol": "G", "new_code": "func G() {  F() }"})
	wantContent(t, env, "a.go", "package a\nfunc   F( ) {}\nfunc G() { F() }\nvar  x  =  1\n")
}

func TestASTEditWritesOnlyValidCode(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"shop.go": goFile, "a.py": "def f():\n    pass\n"})
	see(t, env, "shop.go", "a.py")
	edit := func(symbol, code string) params {
		return params{"file_path": "shop.go", "symbol": symbol, "new_code": code}
	}
	mustRefuse(t, env, astEdit(), edit("Print", "func Print() {\n\tx := (\n}"), "would have a syntax error: 44:1", `"}"`, "nothing was written")
	mustRefuse(t, env, astEdit(), edit("Print", "package shop\n\nfunc Print() {}"), "would have a syntax error")
	mustRefuse(t, env, astEdit(), edit("Print", "just words"), "would have a syntax error")
	mustRefuse(t, env, astEdit(), edit("Print", " \n"), "new_code is empty", "lines 42-42", "delete_line_range")
	mustRefuse(t, env, astEdit(), edit("Put", "func Put() {}"), "Store.Put", "Other.Put")
	mustRefuse(t, env, astEdit(), edit("Nothing", "func Put() {}"), "does not declare")
	mustRefuse(t, env, astEdit(), params{"file_path": "a.py", "symbol": "f", "new_code": "def f(): pass"}, "only Go files", "replace")
}
