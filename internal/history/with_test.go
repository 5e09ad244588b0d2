package history

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// edits holds every method that returns a changed copy, and the field that it changes.
var edits = map[string]struct {
	changes string
	edit    func() (before, after any)
}{
	"Content.WithBlocks":      {"Blocks", func() (any, any) { c := filled[Content](); return c, c.WithBlocks(Blocks{&Text{Text: "other"}}) }},
	"Content.WithMeta":        {"Metadata", func() (any, any) { c := filled[Content](); return c, c.WithMeta("other", 1) }},
	"Content.WithoutMeta":     {"Metadata", func() (any, any) { c := filled[Content](); return c, c.WithoutMeta("text") }},
	"ToolResponse.WithResult": {"Result", func() (any, any) { r := filled[ToolResponse](); return r, r.WithResult("other") }},
	"ToolCall.withID":         {"ID", func() (any, any) { c := filled[ToolCall](); return c, c.withID("other") }},
	"ToolCall.WithParameters": {"Parameters", func() (any, any) { c := filled[ToolCall](); return c, c.WithParameters([]byte(`{"other":1}`)) }},
}

// A changed copy keeps all other fields, such as the data that a provider attached to a call.
// Without that signature, Gemini refuses the conversation.
func TestCopiesKeepEverythingElse(t *testing.T) {
	t.Parallel()
	var tested []string
	for name, tt := range edits {
		tested = append(tested, name)
		before, after := tt.edit()
		was, is := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
		for i := range was.NumField() {
			field := was.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if was.Field(i).IsZero() {
				t.Errorf("%s: %s is not filled", name, field.Name)
			}
			same := reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface())
			if same == (field.Name == tt.changes) {
				t.Errorf("%s: %s is the same: %t", name, field.Name, same)
			}
		}
	}
	slices.Sort(tested)
	if declared := withMethods(t); !slices.Equal(declared, tested) {
		t.Errorf("the package has %q, tested are %q", declared, tested)
	}
}

// filled returns a value whose exported fields are all non-zero.
func filled[T any]() *T {
	value := new(T)
	fill(reflect.ValueOf(value).Elem())
	return value
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("text"), reflect.ValueOf("value"))
	case reflect.Interface:
		v.Set(reflect.ValueOf(&Text{Text: "text"}))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Result]() {
			v.Set(reflect.ValueOf(TextResult("text")))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	}
}

// withMethods returns the methods of the package whose names begin with With.
func withMethods(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !strings.HasPrefix(strings.ToLower(f.Name.Name), "with") {
				continue
			}
			if pointer, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
				names = append(names, pointer.X.(*ast.Ident).Name+"."+f.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}
