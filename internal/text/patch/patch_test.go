package patch

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tree maps paths to the contents of files.
type tree map[string]string

// patched returns the files after a patch.
func (files tree) patched(text string) (after tree, notes []string, err error) {
	sections, err := Parse(text)
	if err != nil {
		return nil, nil, err
	}
	changes, notes, err := Plan(sections, func(path string) ([]byte, error) {
		for other := range files {
			if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
				return nil, Errorf(BadFile, "%s", path)
			}
		}
		if content, ok := files[path]; ok {
			return []byte(content), nil
		}
		return nil, nil
	})
	if err != nil {
		return nil, nil, err
	}
	after = maps.Clone(files)
	for _, change := range changes {
		if change.After == nil {
			delete(after, change.Path)
		} else {
			after[change.Path] = string(change.After)
		}
	}
	return after, notes, nil
}

// The cases include the examples of the reference implementation. Each has the files after the
// patch, or the class of the error.
func TestCases(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name  string
		Files tree
		Patch string
		Want  tree
		Fails ErrorClass
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got, _, err := c.Files.patched(c.Patch)
		var failed *Error
		if errors.As(err, &failed) {
			if failed.Class != c.Fails || failed.Reason == "" {
				t.Errorf("%s: %s: %v, want %q", c.Name, failed.Class, failed, c.Fails)
			}
			continue
		}
		if diff := cmp.Diff(c.Want, got); diff != "" || err != nil || c.Fails != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.Name, err, diff)
		}
	}
}

// An error names the position in the patch and in the file, and shows the closest lines.
func TestErrorsNameTheirPosition(t *testing.T) {
	t.Parallel()
	files := tree{"x.go": "package x\n\nfunc first() {\n\treturn 1\n}\n\nfunc second() {\n\treturn 2\n}\n"}
	for text, want := range map[string][]string{
		"@@ func third() {\n-\treturn 1\n":                                 {"x.go: no line in the file is \"func third() {\".", "Nearest: 3|func first() {"},
		"@@ func first() {\n-\treturn 1\n+\treturn 3\n@@\n-\treturn 9\n+x": {"x.go, chunk 2 (line 6 of the patch): its old lines are not below line 4", "8|\treturn 2", "the file has", "the patch has"},
		"@@\n-\treturn 7\n+\treturn 2\n }\n":                               {"the file already has the new lines, at line 8"},
		"@@\n-\treturn 9\n":                                                {"its old lines are not in the file"},
		"@@\n*return\n":                                                    {"Line 4, \"*return\"", "begin with a space, - or +"},
	} {
		_, _, err := files.patched("*** Begin Patch\n*** Update File: x.go\n" + text + "\n*** End Patch")
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v lacks %q", text, err, part)
			}
		}
	}
	_, notes, err := files.patched("*** Begin Patch\n*** Update File: x.go\n@@\n }\n+//\n*** End Patch")
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "its old lines match at lines 5, 9; the first match was changed") {
		t.Errorf("%q, %v", notes, err)
	}
}

// A change of a text that is written as a patch with enough context produces exactly that change.
func TestAnyChangeAsAPatch(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"a", "b", "\tc", "  d", "", "- e", "+ f", "@@ g", "*** End Patch", "*** Update File: h", " i "})
	rapid.Check(t, func(rt *rapid.T) {
		before := rapid.SliceOfN(line, 1, 20).Draw(rt, "before")
		from := rapid.IntRange(0, len(before)).Draw(rt, "from")
		to := rapid.IntRange(from, len(before)).Draw(rt, "to")
		added := rapid.SliceOfN(line, 0, 4).Draw(rt, "added")
		after := append(append(append([]string{}, before[:from]...), added...), before[to:]...)
		if strings.Join(before, "\n") == strings.Join(after, "\n") {
			rt.Skip("no change")
		}
		var text strings.Builder
		text.WriteString("*** Begin Patch\n*** Update File: x\n@@\n")
		for _, part := range []struct {
			mark  string
			lines []string
		}{{" ", before[:from]}, {"-", before[from:to]}, {"+", added}, {" ", before[to:]}} {
			for _, line := range part.lines {
				text.WriteString(part.mark + line + "\n")
			}
		}
		text.WriteString("*** End Patch\n")
		got, _, err := tree{"x": strings.Join(before, "\n") + "\n"}.patched(text.String())
		want := strings.Join(after, "\n")
		if len(after) > 0 {
			want += "\n"
		}
		if err != nil || got["x"] != want {
			rt.Fatalf("%s\n%v: %q, want %q", text.String(), err, got["x"], want)
		}
	})
}

// Any patch is either applied or refused with a class of error, without a panic. A file loses only
// the lines that the patch removes.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{"", "*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** Update File: x\n@@ a\n-b\n+c\n*** End of File\n*** End Patch", "*** Begin Patch\n*** Add File: y\n+1\n*** Delete File: x\n*** Update File: y\n*** Move to: z\n-1\n*** End Patch"} {
		f.Add(seed, "a\nb\n")
	}
	f.Fuzz(func(t *testing.T, text, content string) {
		_, _, err := tree{"x": content}.patched(text)
		var failed *Error
		if err != nil && (!errors.As(err, &failed) || failed.Class == "" || failed.Reason == "") {
			t.Fatal(err)
		}
	})
}
