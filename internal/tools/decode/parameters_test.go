package decode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/base/arguments"
)

type sampleArgs struct {
	FilePath string   `json:"file_path" jsonschema:"the file"`
	Count    int      `json:"count,omitempty" jsonschema:"how many"`
	Deep     bool     `json:"deep,omitempty" jsonschema:"whether"`
	Names    []string `json:"names,omitempty" jsonschema:"which"`
}

func TestArgumentsModelsGetWrongAreUnderstood(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]sampleArgs{
		`{"file_path":"a","count":3,"deep":true,"names":["x"]}`:   {"a", 3, true, []string{"x"}},
		`{"file_path":"a","count":"3","deep":"True","names":"x"}`: {"a", 3, true, []string{"x"}},
		`{"file_path":"a","count":3.0,"names":"[\"x\",\"y\"]"}`:   {"a", 3, false, []string{"x", "y"}},
		`{"file_path":"a","count":null,"names":null}`:             {FilePath: "a"},
	} {
		got, err := ParametersOf[sampleArgs]().Decode(arguments.Parse(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", raw, d)
		}
	}
}

func TestWrongArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	for raw, words := range map[string][]string{
		``:                                {`missing required parameter "file_path"`, "the file"},
		`{}`:                              {`missing required parameter "file_path"`},
		`{"file_path":null}`:              {`missing required parameter "file_path"`},
		`{"file_path":"a","counter":1}`:   {`unknown parameter "counter"`, `did you mean count?`, "names"},
		`{"file_path":"a","remark":"x"}`:  {`unknown parameter "remark"`},
		`{"file_path":7}`:                 {`"file_path" must be a string, not a number`},
		`{"file_path":"a","count":"few"}`: {`"count" must be an integer, not a string`},
		`{"file_path":"a","count":1.5}`:   {`"count" must be an integer`, "1.5"},
		`{"file_path":"a","names":[1]}`:   {`names`, "must be a string, not a number"},
		`{"file_path":"a"`:                {"not valid JSON", "end in the middle"},
		`["a"]`:                           {"are not a JSON object"},
	} {
		_, err := ParametersOf[sampleArgs]().Decode(arguments.Parse(raw))
		if err == nil {
			t.Errorf("%s: no error", raw)
			continue
		}
		for _, word := range words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q lacks %q", raw, err, word)
			}
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"file_path":"a","count":"3"}`))
	f.Add([]byte(`{"path":[],"names":"[1"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := ParametersOf[sampleArgs]().Decode(arguments.Parse(raw)); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
