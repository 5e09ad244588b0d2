package structure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bounds limits the size of a type: the number of methods and fields that a value of the type has,
// with embedded structs, and of fields with a function type. A type that embeds a pointer has all
// methods of the pointer, so only types with few methods may be embedded in this way.
var bounds = parts{methods: 60, fields: 40, functions: 12, embedded: 5}

// parts counts the members of a type. embedded is the largest number of methods of an embedded
// pointer.
type parts struct{ methods, fields, functions, embedded int }

// Types consist of named parts, and no type has more members than a reader can know.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, pkg := range checkedPackages(t) {
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			if named, ok := scope.Lookup(name).(*types.TypeName); ok && !named.IsAlias() {
				if over := partsOf(named.Type()).over(bounds); over != (parts{}) {
					t.Errorf("%s.%s: %+v exceeds %+v", strings.TrimPrefix(pkg.Path(), "agent/"), name, over, bounds)
				}
			}
		}
	}
}

// over returns the counts that exceed the counts of bounds.
func (p parts) over(bounds parts) parts {
	count := func(n, most int) int {
		if n > most {
			return n
		}
		return 0
	}
	return parts{count(p.methods, bounds.methods), count(p.fields, bounds.fields), count(p.functions, bounds.functions), count(p.embedded, bounds.embedded)}
}

func partsOf(t types.Type) (p parts) {
	p.methods = methods(t)
	p.countFields(t, map[types.Type]bool{})
	return p
}

// methods returns the number of methods of a pointer to a type, or of an interface.
func methods(t types.Type) int {
	if types.IsInterface(t) {
		return types.NewMethodSet(t).Len()
	}
	return types.NewMethodSet(types.NewPointer(t)).Len()
}

// countFields adds the fields of a struct and of its embedded structs.
func (p *parts) countFields(t types.Type, seen map[types.Type]bool) {
	fields, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return
	}
	seen[t] = true
	for field := range fields.Fields() {
		inner, pointer := field.Type(), false
		if to, ok := inner.Underlying().(*types.Pointer); ok {
			inner, pointer = to.Elem(), true
		}
		if field.Embedded() && pointer {
			p.embedded = max(p.embedded, methods(inner))
		}
		if _, opens := inner.Underlying().(*types.Struct); field.Embedded() && opens {
			p.countFields(inner, seen)
			continue
		}
		p.fields++
		if _, is := field.Type().Underlying().(*types.Signature); is {
			p.functions++
		}
	}
}

// checkedPackages returns the packages of the program with their types. It skips the bodies of
// functions, and reads libraries from the compiler's cache.
func checkedPackages(t *testing.T) []*types.Package {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,Module", "./cmd/...", "./internal/...")
	list.Stderr = os.Stderr
	listed, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	exported, program := map[string]string{}, map[string]*types.Package{}
	libraries := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exported[path]) })
	load := importerFunc(func(path string) (*types.Package, error) {
		if own := program[path]; own != nil {
			return own, nil
		}
		return libraries.Import(path)
	})
	for decoder := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			Module                  *struct{ Main bool }
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || !p.Module.Main {
			exported[p.ImportPath] = p.Export
			continue
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		config := types.Config{IgnoreFuncBodies: true, Importer: load}
		checked, err := config.Check(p.ImportPath, files, parsed, nil)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", p.ImportPath, err))
		}
		program[p.ImportPath] = checked
	}
	return slices.Collect(maps.Values(program))
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
