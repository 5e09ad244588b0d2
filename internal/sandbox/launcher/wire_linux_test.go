package launcher

import (
	"bytes"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The helper starts as soon as package os is initialized. An import that package os does not have
// would delay it, because packages are initialized in the order of their names.
func TestTheHelperImportsNothing(t *testing.T) {
	t.Parallel()
	ofOS := []string{"errors", "io", "os", "path", "syscall", "time", "unsafe"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range file.Imports {
			if !slices.Contains(ofOS, strings.Trim(imported.Path.Value, `"`)) {
				t.Errorf("%s imports %s", name, imported.Path.Value)
			}
		}
	}
}

func specs() *rapid.Generator[*Spec] {
	texts := rapid.SliceOfN(rapid.String(), 1, 4)
	return rapid.Custom(func(t *rapid.T) *Spec {
		s := &Spec{
			Path: rapid.String().Draw(t, "path"), Args: texts.Draw(t, "args"), Env: texts.Draw(t, "env"), Dir: rapid.String().Draw(t, "dir"),
			Temp: rapid.String().Draw(t, "temp"), Shown: texts.Draw(t, "shown"),
			Write: texts.Draw(t, "write"), ReadOnly: texts.Draw(t, "read-only"), Hidden: texts.Draw(t, "hidden"), Devices: texts.Draw(t, "devices"), Keep: texts.Draw(t, "keep"),
			Processes: rapid.Int().Draw(t, "processes"), KernelBounds: rapid.Bool().Draw(t, "bounds"), Capabilities: rapid.Uint64().Draw(t, "capabilities"),
			Filter: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Instruction {
				return Instruction{rapid.Uint16().Draw(t, "code"), rapid.Uint8().Draw(t, "yes"), rapid.Uint8().Draw(t, "no"), rapid.Uint32().Draw(t, "k")}
			}), 1, 4).Draw(t, "filter"),
			Grace: time.Duration(rapid.Int64().Draw(t, "grace")),
		}
		if rapid.Bool().Draw(t, "landlock") {
			s.Ruleset = &Ruleset{Handled: rapid.Uint64().Draw(t, "handled"), Scoped: rapid.Uint64().Draw(t, "scoped"), Rules: []Rule{{rapid.String().Draw(t, "rule"), rapid.Uint64().Draw(t, "access")}}}
		}
		return s
	})
}

// A message is received completely. A truncated message is an error.
func TestMessagesArrive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sent := specs().Draw(t, "spec")
		var channel bytes.Buffer
		if err := Send(&channel, sent); err != nil {
			t.Fatal(err)
		}
		whole := channel.Bytes()
		cut := rapid.IntRange(0, len(whole)-1).Draw(t, "cut")
		var part, got Spec
		if Receive(bytes.NewReader(whole[:cut]), &part) == nil {
			t.Fatalf("%d of %d bytes are taken for a message", cut, len(whole))
		}
		if err := Receive(&channel, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sent, &got); diff != "" {
			t.Fatal(diff)
		}
	})
	var channel bytes.Buffer
	want := Report{Failed: "x", Refused: 7, LeftBehind: true, Signal: 9}
	if err := Send(&channel, &want); err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := Receive(&channel, &got); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// Any input is either a message or an error, and uses no more memory than its declared length.
func TestInvalidMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte{0, 0, 1, 255})), 0, 200).Draw(t, "content")
		framed := make([]byte, 8)
		putNumber(framed, uint64(len(content)))
		var spec Spec
		_ = Receive(bytes.NewReader(append(framed, content...)), &spec)
	})
	huge := bytes.Repeat([]byte{255}, 16)
	if Receive(bytes.NewReader(huge), &Spec{}) == nil {
		t.Error("a message without end is taken")
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int{"": {0, 0}, "x": {0, 0}, "0": {0, 1}, "4096 x": {4096, 4}, "12": {12, 2}} {
		if n, digits := leadingNumber(text); n != want[0] || digits != want[1] {
			t.Errorf("%q: %d, %d digits", text, n, digits)
		}
	}
	for n, want := range map[int]string{0: "0", 9: "9", 10: "10", 4096: "4096"} {
		if got := decimal(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
