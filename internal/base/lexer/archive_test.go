package lexer

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

var update = flag.Bool("update", false, "write the archive anew")

// The archive has the same lexers as chroma's collection. -update writes it.
func TestArchive(t *testing.T) {
	t.Parallel()
	want := collect(t)
	if *update {
		writeArchive(t, want)
		return
	}
	files := collected().files
	for name, data := range want {
		got, err := fs.ReadFile(files, name)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s is not that of chroma (%v); run go test ./internal/lexer -run Archive -update", name, err)
		}
	}
	if len(files.File) != len(want) {
		t.Errorf("the archive holds %d files, want %d", len(files.File), len(want))
	}
}

// collect builds the files of the archive from chroma's collection.
func collect(t *testing.T) map[string][]byte {
	t.Helper()
	written := chromaFiles(t)
	files := map[string][]byte{}
	var entries []entry
	for _, lexer := range lexers.GlobalLexerRegistry.Lexers {
		config := lexer.Config()
		e := entry{
			File: fileName(config.Name), Name: config.Name, Aliases: config.Aliases,
			Files: config.Filenames, OtherFiles: config.AliasFilenames, Priority: cmp.Or(config.Priority, 1),
		}
		data := written[config.Name]
		if inner, around := parts(lexer); around != nil {
			e.Over, lexer = around.Config().Name, inner
		}
		if data == nil {
			data = writeDown(t, lexer)
		}
		if data == nil {
			continue
		}
		files[e.File] = data
		e.Uses = uses(data)
		entries = append(entries, e)
	}
	resolve(entries)
	index, err := json.Marshal(entries)
	must(t, err)
	files[indexFile] = index
	return files
}

func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, strings.ToLower(name)) + ".xml"
}

// chromaFiles returns the lexers that chroma stores as XML, by name.
func chromaFiles(t *testing.T) map[string][]byte {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	must(t, err)
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "lexers", "embedded", "*.xml"))
	must(t, err)
	files := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(t, err)
		var lexer struct {
			Config chroma.Config `xml:"config"`
		}
		must(t, xml.Unmarshal(data, &lexer))
		files[lexer.Config.Name] = data
	}
	return files
}

// parts returns the lexers of a language inside another, which chroma does not export. around is
// nil for other lexers.
func parts(lexer chroma.Lexer) (inner, around chroma.Lexer) {
	v := reflect.ValueOf(lexer).Elem()
	field := func(name string) chroma.Lexer {
		f := v.FieldByName(name)
		if !f.IsValid() {
			return nil
		}
		return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Interface().(chroma.Lexer)
	}
	return field("language"), field("root")
}

// writeDown converts a lexer in Go code to a file. It returns nil if that is impossible.
func writeDown(t *testing.T, lexer chroma.Lexer) []byte {
	t.Helper()
	if wrapped := reflect.ValueOf(lexer).Elem().FieldByName("Lexer"); wrapped.IsValid() && wrapped.CanInterface() {
		lexer, _ = wrapped.Interface().(chroma.Lexer)
	}
	plain, ok := lexer.(*chroma.RegexLexer)
	if !ok {
		return nil
	}
	rules, err := plain.Rules()
	must(t, err)
	rules = rules.Clone()
	if plain.Config().Name == "Go" {
		for i, rule := range rules["root"] {
			if rule.Pattern == "(`)([^`]*)(`)" {
				rules["root"][i].Type = chroma.ByGroups(chroma.LiteralString, chroma.LiteralString, chroma.LiteralString)
			}
		}
	}
	copied, err := chroma.NewLexer(plain.Config(), func() chroma.Rules { return rules })
	must(t, err)
	data, err := chroma.Marshal(copied)
	if err != nil {
		return nil
	}
	// The order of a map is random, so the states are sorted.
	sorted := states.FindAll(data, -1)
	slices.SortFunc(sorted, bytes.Compare)
	next := 0
	return states.ReplaceAllFunc(data, func([]byte) []byte { next++; return sorted[next-1] })
}

var states = regexp.MustCompile(`(?s)<state .*?</state>`)

var using = regexp.MustCompile(`<using lexer="([^"]+)"`)

// uses returns the lexers that a file refers to.
func uses(data []byte) []string {
	var names []string
	for _, match := range using.FindAllSubmatch(data, -1) {
		if name := string(match[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// resolve replaces aliases in the references of entries by names.
func resolve(entries []entry) {
	for i := range entries {
		for j, used := range entries[i].Uses {
			for _, e := range entries {
				if strings.EqualFold(e.Name, used) || slices.Contains(e.Aliases, strings.ToLower(used)) {
					entries[i].Uses[j] = e.Name
					break
				}
			}
		}
	}
}

func writeArchive(t *testing.T, files map[string][]byte) {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, path.Clean(name))
	}
	slices.Sort(names)
	for _, name := range names {
		file, err := w.Create(name)
		must(t, err)
		_, err = file.Write(files[name])
		must(t, err)
	}
	must(t, w.Close())
	must(t, os.WriteFile("lexers.zip", archive.Bytes(), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
